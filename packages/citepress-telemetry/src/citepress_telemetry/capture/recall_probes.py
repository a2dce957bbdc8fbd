"""Free actions that repeat a published recall probe: somebody is measuring the archive, not using it."""

from collections.abc import Set as AbstractSet
from urllib.parse import parse_qsl

from citepress.contract.notes import Note

ACTION = "action"
"""Area of the notes that free actions leave."""
REPEATED = " (recall probe)"
"""What the name of an action ends in when its question is a published recall probe."""
MAX_FIELDS = 20


def normalized_question(question: str) -> str:
    """A question without what does not change it: letter case, spacing, the final question mark."""
    return " ".join(question.casefold().split()).rstrip("?!. ")


def repeats_probe(query: bytes, probes: AbstractSet[str]) -> bool:
    """Whether a parameter of a query string is the question of a probe."""
    try:
        fields = parse_qsl(query.decode("utf-8", "replace"), max_num_fields=MAX_FIELDS)
    except ValueError:
        return False
    return any(normalized_question(value) in probes for _, value in fields)


def recall_outcomes(notes: tuple[Note, ...], query: bytes, probes: AbstractSet[str]) -> tuple[Note, ...]:
    """The notes of a request, those of an action that repeats a probe under a name of their own."""
    if not probes or not query or not repeats_probe(query, probes):
        return notes
    return tuple(
        (area, name + REPEATED, outcome) if area == ACTION else (area, name, outcome) for area, name, outcome in notes
    )
