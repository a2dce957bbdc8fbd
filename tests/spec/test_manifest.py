"""The requirement manifest and the tests hold each other."""

from collections import Counter

from spec.requirements import ALL, BY_ID, PARTS, STANDING
from support.proof import proven


def test_every_requirement_that_a_test_names_is_in_the_manifest() -> None:
    assert {id_: files for id_, files in proven().items() if id_ not in BY_ID} == {}


def test_every_requirement_of_a_standing_part_has_a_test() -> None:
    named = proven()
    assert [entry.id for entry in ALL if entry.due in STANDING and entry.id not in named] == []


def test_a_part_whose_requirements_are_all_proven_is_said_to_stand() -> None:
    named = proven()
    assert {part for part in PARTS if all(entry.id in named for entry in ALL if entry.due == part)} <= STANDING


def test_the_manifest_is_well_formed() -> None:
    assert [id_ for id_, count in Counter(entry.id for entry in ALL).items() if count > 1] == []
    assert {entry.due for entry in ALL} == set(PARTS)
    assert [entry.id for entry in ALL if not entry.behaviour.endswith(".")] == []
    undecided = [entry.id for entry in ALL if "not shown" in entry.behaviour and not entry.decision]
    assert undecided == []
