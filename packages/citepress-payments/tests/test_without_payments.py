import subprocess
import sys
from pathlib import Path

import pytest

from citepress.cli import run
from support.folder import folder, post
from support.hidden_extensions import environment_without

FILES = {"content/posts/otters.md": post("Otters rest below weirs.")}
BUILT = """
import sys
from pathlib import Path
from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.search.state import INDEX_FOLDER, open_index
from citepress.settings import from_environment

builder = Builder(from_environment(Path(sys.argv[1]), state=Path(sys.argv[2])))
built = builder.build(clock.now())
edition = open_edition(built.pointer)
builder.index(built, clock.now())
index = open_index(Path(sys.argv[2]) / INDEX_FOLDER)
assert index.measured == {}
assert index.record("posts/otters").detail == {}
assert edition.find("/.well-known/x402") is None
for path in ("/llms.txt", "/llms-full.txt", "/developers.md", "/openapi.json", "/openapi-route-catalog.json"):
    print(bytes(edition.find(path).leaf.body).decode())
assert not any(name.startswith("citepress_payments") for name in sys.modules if sys.modules[name])
"""
TRACES = ("/agent-payments/", "list_paid_tools", "x-payment-info", "Paid compute", "paid-compute", "/.well-known/x402")


def test_without_the_package_no_document_speaks_of_it(tmp_path: Path) -> None:
    content = folder(tmp_path / "content", FILES)
    words = [sys.executable, "-c", BUILT, str(content), str(tmp_path / "state")]
    environment = environment_without(tmp_path / "hidden", "payments")
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "/posts/otters" in done.stdout
    assert [trace for trace in TRACES if trace in done.stdout] == []


def test_without_the_package_its_command_and_its_table_name_what_to_install(tmp_path: Path) -> None:
    content = folder(tmp_path / "content", FILES, '[payments]\nnetworks = "test"\n')
    environment = environment_without(tmp_path / "hidden", "payments")
    for words in (["payments", "status"], ["check", str(content)]):
        command = [sys.executable, "-m", "citepress", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode
        assert "pip install 'citepress[payments]'" in done.stdout + done.stderr


def test_a_library_that_all_rails_lack_is_told_once_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(_name: str) -> None:
        raise ModuleNotFoundError("no module", name="eth_account")

    monkeypatch.setattr("citepress_payments.drivers.import_module", missing)
    content = str(folder(tmp_path / "content", FILES))
    assert run(["payments", "init", content]) == 0
    said = capsys.readouterr().out
    assert "Next:\n  pip install 'citepress[payments]'\n  citepress serve" in said
    assert run(["payments", "status", content]) == 1
    assert "reason: payments.rails[0].driver: the driver simulated needs eth_account" in capsys.readouterr().out
    for command in ("check", "doctor"):
        run([command, content])
        said = capsys.readouterr().out
        assert said.count("pip install 'citepress[payments]'") == 1, said
    assert "base-usdc, base-weth and bsc-bnb are closed: payments.rails[0].driver: the driver simulated needs" in said
