"""Without the package its commands, options, variables and tables name what to install, and all else works."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import without_settings
from support.folder import SITE, folder, post
from support.hidden_extensions import environment_without
from support.running_server import serving_command

BASE, PUBLIC = "https://archive.test", "https://archive.example.org"
Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    hidden = without_settings(environment_without(tmp_path / "hidden", "fleet"))

    def ran(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "citepress", *words]
        environment = {**hidden, "COLUMNS": "200", **environment}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    return ran


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return folder(tmp_path / "site", {"content/posts/one.md": post()})


@pytest.mark.parametrize(
    ("words", "variables", "extra"),
    [
        (("publish", "site", "file:///bucket"), {}, "publish"),
        (("editions", "list", "file:///bucket"), {}, "publish"),
        (("ping", "site"), {}, "fleet"),
        (("serve", "--edition=file:///bucket"), {}, "fleet"),
        (("serve", "site"), {"CITEPRESS_VALKEY_URL": "valkey://127.0.0.1:1/0"}, "valkey"),
        (("serve", "site"), {"CITEPRESS_VALKEY_URL_FILE": "/run/secrets/valkey"}, "valkey"),
        (("serve", "site"), {"CITEPRESS_EDITION": "file:///bucket"}, "fleet"),
    ],
)
def test_what_belongs_to_it_names_what_to_install(
    run: Run, words: tuple[str, ...], variables: dict[str, str], extra: str
) -> None:
    done = run(*words, **variables)

    assert (done.returncode, done.stdout) == (2, "")
    assert f"pip install 'citepress[{extra}]'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_a_table_and_a_hub_that_nobody_reads_name_what_to_install(run: Run, root: Path) -> None:
    settings = root / "site.toml"
    settings.write_text(f'{SITE.replace(BASE, PUBLIC)}hub = "https://hub.example.org/"\n')
    warned = run("check", str(root), "--all")
    settings.write_text(f'{SITE}[purge]\ndriver = "http"\nurls = ["http://127.0.0.1/"]\n')
    refused = run("check", str(root))

    assert warned.returncode == 0
    assert "warning CP084 hub: nobody tells it of editions" in warned.stdout
    assert refused.returncode == 1
    assert "error CP030 purge: is not a known key" in refused.stdout
    for done in (warned, refused):
        assert "pip install 'citepress[fleet]'" in done.stdout


def test_a_folder_is_built_compared_and_served_and_nothing_else_tells_of_it(
    run: Run, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [run(*words, "--help").stdout for words in ((), ("serve",))]
    built = run("build", str(root), "--output", str(tmp_path / "dist"), "--state", str(tmp_path / "state"))
    compared = run("diff", str(root), "--state", str(tmp_path / "state"))

    assert built.returncode == 0, built.stderr
    assert compared.returncode == 0, compared.stderr
    assert [
        word
        for word in ("Publish a content folder", "roll back", "--edition", "--allow", "IndexNow")
        if word in "".join(texts)
    ] == []
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hidden"))
    with serving_command(root, tmp_path / "served") as server:
        assert server.ask("/posts/one/").status == 200
