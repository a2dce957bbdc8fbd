"""``citepress doctor`` over installations that are healthy, and over each thing that can be wrong."""

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.admin.restore_drill import DRILL_FILE as DRILL
from citepress.base import clock
from citepress.cli import run
from citepress.edition.edition import pointer
from citepress.settings import Settings
from citepress.stores.sql.database import STATE_FILE
from citepress.transparency.signing import KEY_FILE
from support.folder import folder, post
from support.running_server import HOST, free_port, serving

SITE = 'title = "One"\nbase_url = "https://archive.example"\n'
Ask = Callable[..., dict[str, list[dict[str, str]]]]


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("CITEPRESS_")]:
        monkeypatch.delenv(name)
    return folder(tmp_path / "content", {"content/posts/one.md": post(), "site.toml": SITE})


@pytest.fixture
def ask(content: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    """The findings of a run by check, and whether its exit code fits them."""

    def answer(*options: str) -> dict[str, list[dict[str, str]]]:
        port = [] if "--port" in options else ["--port", str(free_port())]
        code = run(["doctor", str(content), "--json", *port, *options])
        document = json.loads(capsys.readouterr().out)
        findings: dict[str, list[dict[str, str]]] = {}
        for finding in document["findings"]:
            assert (finding["status"] == "ok") == (not finding["todo"]), finding
            findings.setdefault(finding["check"], []).append(finding)
        failed = any(finding["status"] == "failure" for finding in document["findings"])
        assert (code, document["healthy"]) == (int(failed), not failed)
        return findings

    return answer


def worst(findings: list[dict[str, str]]) -> tuple[str, str]:
    """The status and the detail of the gravest finding."""
    order = ["ok", "warning", "failure"]
    finding = max(findings, key=lambda finding: order.index(finding["status"]))
    return finding["status"], finding["detail"]


def todo_of_edition(findings: dict[str, list[dict[str, str]]]) -> str:
    """What to do about an edition that is older than the content."""
    return next(finding["todo"] for finding in findings["edition"] if "has changed since" in finding["detail"])


def test_a_new_installation_has_no_failure_and_nine_checks(ask: Ask) -> None:
    findings = ask()
    assert list(findings) == ["settings", "clock", "disk", "stores", "backups", "edition", "rails", "proxies", "ports"]
    assert {name: worst(each)[0] for name, each in findings.items()} == {
        **dict.fromkeys(findings, "ok"),
        "edition": "warning",
        "proxies": "warning",
    }


def test_a_running_server_is_known_and_its_edition_is_current(ask: Ask, content: Path) -> None:
    with serving(content, content / "state") as server:
        findings = ask("--port", str(server.port), "--host", HOST)
        assert worst(findings["ports"]) == ("ok", f"citepress answers at {HOST} port {server.port}")
        (content / "content/posts/two.md").write_text(post().replace("slug: one", "slug: two"))
        assert todo_of_edition(ask("--port", str(server.port))) == "restart the service, or serve with --watch"
    assert todo_of_edition(ask()) == f"run citepress serve {content}"


def test_a_server_that_watches_takes_changes_over_itself(ask: Ask, content: Path) -> None:
    with serving(content, content / "state", "--watch") as server:
        (content / "content/posts/one.md").write_text("---\ntitle: [broken\n---\n")  # never published
        said = todo_of_edition(ask("--port", str(server.port)))
    assert said == "wait a moment: the service watches the content, and publishes it as soon as it has no errors"


def test_a_port_of_another_program_is_a_failure(ask: Ask) -> None:
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        status, detail = worst(ask("--port", str(other.getsockname()[1]))["ports"])
    assert status == "failure"
    assert "another program listens there" in detail


def _broken_content(root: Path) -> None:
    (root / "content/posts/one.md").write_text("---\ntitle: 7\n---\n")


def _damaged_store(root: Path) -> None:
    (root / "state").mkdir()
    (root / "state" / STATE_FILE).write_bytes(b"This is no database, and it is longer than the header of one. " * 100)


def _future_edition(root: Path) -> None:
    place = pointer(root / "state")
    place.parent.mkdir(parents=True)
    place.write_text("{}")
    os.utime(place, (clock.now().timestamp() + 3600,) * 2)


def _lost_key(root: Path) -> None:
    Builder(Settings(root, root / "state")).build(clock.now())
    (root / "state" / KEY_FILE).unlink()


def _closed_rail(root: Path) -> None:
    rail = '[payments]\nnetworks = "test"\n[[payments.rails]]\nslug = "base-usdc"\ndriver = "facilitator"\n'
    (root / "site.toml").write_text(SITE + rail)


WRONG: list[tuple[str, str, Callable[[Path], object] | None, dict[str, str], str]] = [
    ("settings", "failure", _broken_content, {}, "errors"),
    ("settings", "warning", None, {"BASE_URL": "http://archive.example"}, "not https"),
    ("stores", "failure", _damaged_store, {}, "file is not a database"),
    ("stores", "failure", _damaged_store, {"DATABASE_URL": "postgresql://a:geheim@127.0.0.1:1/x"}, "does not respond"),
    ("clock", "warning", _future_edition, {}, "the clock was set back"),
    ("edition", "failure", _future_edition, {}, "there is no edition"),
    ("edition", "failure", _lost_key, {}, "the key is lost that signs the log"),
    ("proxies", "failure", None, {"TRUSTED_PROXIES": "0.0.0.0/0"}, "0.0.0.0/0 is trusted"),
    ("rails", "failure", _closed_rail, {}, ""),
]


@pytest.mark.parametrize(("check", "status", "spoil", "environ", "words"), WRONG)
def test_what_is_wrong_is_named_with_what_to_do(
    ask: Ask,
    content: Path,
    monkeypatch: pytest.MonkeyPatch,
    check: str,
    status: str,
    spoil: Callable[[Path], object] | None,
    environ: dict[str, str],
    words: str,
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(f"CITEPRESS_{name}", value)
    if spoil:
        spoil(content)
    findings = ask()
    gravest, detail = worst(findings[check])
    assert (gravest, words in detail) == (status, True), findings[check]
    assert "geheim" not in json.dumps(findings)


def test_a_folder_that_is_none_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(tmp_path / "nowhere")]) == 2
    assert "nowhere is not a folder" in capsys.readouterr().err


def test_what_to_do_is_ready_for_a_shell(ask: Ask, content: Path, tmp_path: Path) -> None:
    (content / "content/posts/one.md").write_text("---\ntitle: 7\n---\n")
    findings = ask("--state", str(tmp_path / "a state"))
    assert f"run citepress check {content}" in {finding["todo"] for finding in findings["settings"]}
    assert findings["edition"][0]["todo"] == f"run citepress serve {content} --state '{tmp_path / 'a state'}'"


def test_people_read_lines_with_what_to_do(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["doctor", str(content), "--port", str(free_port())]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "0 failures, 2 warnings."
    assert any(line.strip() == f"Run citepress serve {content}." for line in lines)


def test_an_installation_whose_backups_nobody_restored_is_told_how(
    ask: Ask, content: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = content / "state"
    with serving(content, state):
        pass
    (finding,) = ask()["backups"]
    assert finding["status"] == "warning"
    assert f"restore FOLDER --drill --content {content}" in finding["todo"]
    assert run(["backup", str(tmp_path / "backup"), "--content", str(content)]) == 0
    assert run(["restore", str(tmp_path / "backup"), "--drill", "--content", str(content)]) == 0
    capsys.readouterr()
    drilled = ask()["backups"]
    assert [finding["status"] for finding in drilled] == ["ok"]
    note = json.loads((state / DRILL).read_text())
    (state / DRILL).write_text(json.dumps({**note, "drilled_at": "2026-01-01T00:00:00Z"}))
    assert worst(ask()["backups"])[0] == "warning"
