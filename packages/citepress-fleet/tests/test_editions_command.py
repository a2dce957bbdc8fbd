"""What `citepress editions` says where it cannot do what is meant: one sentence, and no key that nobody has."""

from pathlib import Path

import pytest

from citepress.cli import run
from support.distribution import ArchivePublisher, open_bucket
from support.folder import post


@pytest.fixture
def publisher(tmp_path: Path) -> ArchivePublisher:
    publisher = ArchivePublisher(tmp_path, open_bucket(tmp_path / "bucket"))
    publisher.publish()
    publisher.edit({"content/posts/note-1.md": post("Walruses now.")})
    publisher.publish()
    return publisher


def _error(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert run(["editions", *arguments]) == 1
    return capsys.readouterr().err


def test_without_the_state_of_the_publisher_nothing_is_made_or_moved(
    tmp_path: Path, publisher: ArchivePublisher, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    for command in ("rollback", "prune"):
        message = _error(capsys, command, publisher.objects.target)
        assert "state holds no edition.key: name the state folder that citepress publish used" in message
    assert list(place.iterdir()) == []
    assert run(["editions", "list", publisher.objects.target]) == 0, "a list needs no key"


def test_an_edition_that_is_not_there_is_named_with_those_that_are(
    publisher: ArchivePublisher, capsys: pytest.CaptureFixture[str]
) -> None:
    state, target = str(publisher.settings.state), publisher.objects.target
    for number in ("99", "0"):
        message = _error(capsys, "rollback", target, "--to", number, "--state", state)
        assert f"{target} has no edition {number}; its newest are 2 and 1" in message


def test_a_store_with_nothing_in_it_is_said_to_be_empty(
    tmp_path: Path, publisher: ArchivePublisher, capsys: pytest.CaptureFixture[str]
) -> None:
    target, state = (tmp_path / "empty").as_uri(), str(publisher.settings.state)
    assert f"{target} has no edition: nothing was published there" in _error(capsys, "list", target)
    for command in ("rollback", "prune"):
        assert f"{target} has no edition" in _error(capsys, command, target, "--state", state)


def test_pruning_says_what_is_too_young(publisher: ArchivePublisher, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["editions", "prune", publisher.objects.target, "--keep", "0", "--state", str(publisher.settings.state)]
    assert run(arguments) == 0
    text = capsys.readouterr().out
    assert "Removed 0 objects of 0 bytes." in text
    assert "stay until they are 24 hours old; --grace-hours 0 removes them" in text
