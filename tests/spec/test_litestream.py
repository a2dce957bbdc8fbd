"""The recipe for Litestream in the operators' guide, with the real program, over a server that is killed."""

import re
import subprocess
import sys
from pathlib import Path

import orjson

from citepress.stores.sql.database import STATE_FILE
from citepress_telemetry.stores import ROLLUPS_FILE
from support.folder import folder, post
from support.running_server import serving
from support.tree import ROOT
from support.waiting import PATIENCE_S, until

LITESTREAM = Path(sys.executable).with_name("litestream")
RECIPE = re.compile(r"```yaml\n(# /etc/litestream\.yml\n.*?)```", re.DOTALL)
DRILL = re.compile(r"```sh\n(for name in state telemetry; do\n.*?)```", re.DOTALL)
SUBMISSIONS = 8


def test_what_was_acknowledged_before_the_machine_was_lost_is_restored(tmp_path: Path) -> None:
    state, replica, config = tmp_path / "state", tmp_path / "replica", tmp_path / "litestream.yml"
    guide = (ROOT / "docs/guides/back-up.md").read_text()
    recipe, drill = RECIPE.search(guide), DRILL.search(guide)
    assert recipe
    assert drill
    config.write_text(recipe[1].replace("/var/lib/citepress", str(state)).replace("/mnt/backup", str(replica)))
    root = folder(tmp_path / "content", {"content/posts/one.md": post()})
    with serving(root, state) as server:
        with subprocess.Popen([LITESTREAM, "replicate", "-config", config], stdout=subprocess.DEVNULL) as running:
            ids = []
            for number in range(SUBMISSIONS):
                body = {"url": f"https://source.example/{number}", "reason": "It shows the opposite."}
                answer = server.ask("/agent-inbox/source", "POST", orjson.dumps(body), content_type="application/json")
                assert answer.status == 202
                ids.append(answer.json()["id"])
            assert until(lambda: _replicated(config, state, tmp_path / "trial", ids[-1]))
            running.kill()
        server.process.kill()
        for name in (STATE_FILE, ROLLUPS_FILE):
            assert _restored(config, state / name, tmp_path / "restored" / name)
        server.process.wait(PATIENCE_S)
    command = [sys.executable, "-m", "citepress", "inbox", "list", "--json"]
    listed = subprocess.run(
        [*command, "--state", tmp_path / "restored", "--content", root], capture_output=True, check=True
    ).stdout
    assert [id_ for id_ in ids if id_.encode() not in listed] == []
    script = drill[1]
    for stated, here in (
        ("/etc/litestream.yml", config),
        ("/var/lib/citepress", state),
        ("my-archive", root),
        ("citepress ", f"{sys.executable} -m citepress "),
        ("litestream restore", f"{LITESTREAM} restore"),
    ):
        script = script.replace(stated, str(here))
    drilled = subprocess.run(["sh", "-e", "-c", script], cwd=tmp_path, capture_output=True, check=True).stdout
    assert b"replica-backup can be restored" in drilled


def _replicated(config: Path, state: Path, trial: Path, last: str) -> bool:
    """Whether both databases can be restored from the replica, with the last submission."""
    for name in (STATE_FILE, ROLLUPS_FILE):
        (trial / name).unlink(missing_ok=True)
        if not _restored(config, state / name, trial / name):
            return False
    return last.encode() in (trial / STATE_FILE).read_bytes()


def _restored(config: Path, database: Path, target: Path) -> bool:
    command = [LITESTREAM, "restore", "-config", config, "-o", target, database]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
