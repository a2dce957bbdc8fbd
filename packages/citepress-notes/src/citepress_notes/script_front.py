"""Front matter that is JavaScript (``---js``), as Eleventy reads it: its plain values, and no code is run."""

import re

from citepress.content.source_map import FENCE, FrontMatterFormat
from citepress.content.value_marks import NODES, Marks
from citepress_notes import privacy_rules
from citepress_notes.script_values import Script, is_known

FIRST_LINES = ("---js", "---javascript")
_NAMES = re.compile(r"^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+(\w{1,60})[ \t]*=", re.MULTILINE)
_DATE = re.compile(r"\bdate\b[\"']?[ \t]*[:=][ \t]*new[ \t]+Date\([ \t]*[\"']([\d-]{10}[^\"'\n]{0,40})[\"'][ \t]*\)")
_SET = re.compile(r"\b(\w{1,60})\b[\"'\]]*[ \t]*[:=](?!=)")
_PRIVATE_IF_SET = frozenset(
    key for rule in privacy_rules.KEY_RULES if rule.when is privacy_rules.Said.YES for key in rule.keys
)


def load(text: str, *, nodes: int = NODES) -> dict[str, object]:  # noqa: ARG001  (as of every format)
    """The members of an object or of declarations; code that may say that a text is private does say so."""
    if text.lstrip().startswith("{"):
        given = Script(f"export default {text}").exported()
    else:
        script = Script(text)
        given = {name: script.constant(name) for name in _NAMES.findall(text)} | script.exported()
    members = {key: value for key, value in given.items() if is_known(value)}
    # What is set anywhere but in these values may keep the text private, too.
    elsewhere = {key.lower() for key in _SET.findall(text)} - {key.lower() for key in given}
    members |= {key: True for key in (*(given.keys() - members.keys()), *elsewhere) if key.lower() in _PRIVATE_IF_SET}
    if "date" in given and "date" not in members and (match := _DATE.search(text)):
        members["date"] = match[1]
    return members


SCRIPT = FrontMatterFormat("JavaScript", FENCE, load, lambda *_, **__: Marks())
