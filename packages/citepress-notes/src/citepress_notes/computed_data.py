"""What functions of Eleventy return that may keep a text private: their conditions are read, and never run."""

import re
from collections.abc import Mapping

_COMPARED = re.compile(r"[=!]==? *(?:true|false)\b")
_RESULT = r"(?:return|=>|\( *|\?|:) *\b{}\b"
_CONDITIONAL = (
    r"\bif *\( *(?P<if>(?:[^(){{}}]|\([^(){{}}]*\))+?) *\) *\{{? *(?:return *)?{0}\b",
    r"(?:return|=>|\() *\(* *(?P<then>[^;{{}}?]+?) *\? *{0} *:",
    r"(?:return|=>|\() *\(* *(?P<unless>[^;{{}}?]+?) *\?[^;{{}}:]* : *{0}\b",
)
"""Conditions under which a value is returned; ``unless``: it is returned where the condition does not hold."""
_EQUAL = re.compile(r"([\w$. ?!]+?) *([=!]==?) *(?:[\"'`]([^\"'`]*)[\"'`]|(true|false))")
_CHAIN = re.compile(r"(!*) *([\w$]+(?: *\??\. *[\w$]+)*)")
_OUTSIDE = frozenset({"process", "eleventy", "import", "env", "meta"})


def may_return(code: str, value: str, front: Mapping[str, object]) -> bool:
    """Whether a function may return ``true`` or ``false`` for a text with this front matter, whose keys are lowered.

    A condition on anything but members of the front matter may hold, except one on dates, which have rules of their
    own.
    """
    code = _COMPARED.sub(lambda match: match[0].replace(value, f"{value}_"), code)
    left = len(re.findall(_RESULT.format(value), code))
    for pattern in _CONDITIONAL:
        for match in re.finditer(pattern.format(value), code):
            left -= 1
            (way, condition) = next((way, text) for way, text in match.groupdict().items() if text)
            if _may_hold(condition, front, inverted=way == "unless"):
                return True
    return left > 0


def _may_hold(condition: str, front: Mapping[str, object], *, inverted: bool) -> bool:
    terms = [[_term(term, front) for term in part.split("&&")] for part in condition.split("||")]
    if inverted:
        return all(any(term is not True for term in part) for part in terms)
    return any(all(term is not False for term in part) for part in terms)


def _term(term: str, front: Mapping[str, object]) -> bool | None:
    """Whether a term holds; ``None`` where only running it would tell."""
    term = term.strip().replace("true_", "true").replace("false_", "false")
    if re.search(r"\bdate\b|\bDate\b|\bnow\b", term):
        return False
    if equal := _EQUAL.fullmatch(term.strip("() ")):
        name, wanted = _name(equal[1]), equal[3] if equal[3] is not None else equal[4]
        return None if not name else (str(front.get(name, "")).lower() == wanted.lower()) is (equal[2][0] == "=")
    chain = _CHAIN.fullmatch(term.strip("() "))
    if chain is None or not (name := _name(chain[2])):
        return None
    return bool(front.get(name)) is (len(chain[1]) % 2 == 0)


def _name(chain: str) -> str:
    """The member that a chain of names ends with, in small letters; empty where it is none of the front matter."""
    steps = re.findall(r"[\w$]+", chain)
    return "" if not steps or _OUTSIDE.intersection(steps) else steps[-1].lower().replace("_", "-")
