"""``citepress deploy-config``: every file is for this archive, and can be read by a parser of its format."""

import configparser
from pathlib import Path
from typing import get_args

import pytest
import yaml

from citepress.cli import run
from citepress_deploy.command import Target
from citepress_fleet.purging import CachePurger
from citepress_fleet.settings import Purge
from support.commands import citepress
from support.folder import folder, post
from support.tree import ROOT

SITE = 'title = "One"\nbase_url = "https://archive.example"\n'


@pytest.fixture
def content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("BASE_URL", "STATE"):
        monkeypatch.delenv(f"CITEPRESS_{name}", raising=False)
    return folder(tmp_path / "content", {"content/posts/one.md": post(), "site.toml": SITE})


def printed(target: str, content: Path, *options: str) -> str:
    done = citepress("deploy-config", target, str(content), *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", get_args(Target))
def test_every_file_names_this_archive_and_no_placeholder(content: Path, target: str) -> None:
    text = printed(target, content, "--port", "8123")
    assert "https://archive.example" in text
    assert "{{" not in text
    assert "{%" not in text
    assert text.endswith("\n")


@pytest.mark.parametrize("target", ["nginx", "caddy", "varnish", "systemd", "compose"])
def test_where_citepress_listens_is_where_the_proxy_asks(content: Path, target: str) -> None:
    assert "8123" in printed(target, content, "--port", "8123")


def test_a_proxy_without_a_public_address_is_told_so(content: Path) -> None:
    (content / "site.toml").write_text('title = "One"\n')
    done = citepress("deploy-config", "nginx", str(content))
    assert done.returncode == 0
    assert "The public address is not set, so this is for http://127.0.0.1:8000" in done.stderr
    assert citepress("deploy-config", "systemd", str(content)).stderr == ""


def test_an_address_of_ip_version_6_stands_in_brackets(content: Path) -> None:
    (content / "site.toml").write_text('title = "One"\nbase_url = "http://[2001:db8::1]:8080"\n')
    assert "server_name [2001:db8::1];" in printed("nginx", content)


def test_varnish_purges_by_the_field_that_the_publisher_sends(content: Path) -> None:
    (request,) = CachePurger(Purge(driver="varnish", urls=["http://127.0.0.1/"]), content, "target").requests(["/a"])
    (field,) = request.fields
    text = printed("varnish", content)
    assert f"xkey.purge(req.http.{field})" in text
    assert f'req.method == "{request.method}"' in text
    assert "softpurge" not in text, "what was purged is not sent again"


def test_containers_run_as_somebody_on_a_root_that_cannot_be_written(content: Path) -> None:
    service = yaml.safe_load(printed("compose", content))["services"]["citepress"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    claim, deployment, network = yaml.safe_load_all(printed("kubernetes", content))
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert (claim["kind"], network["kind"]) == ("PersistentVolumeClaim", "Service")
    assert "USER 10001" in printed("docker", content)


def test_the_unit_is_the_one_that_the_guide_explains(content: Path) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    unit.read_string(printed("systemd", content))
    assert f"serve {content} --host 127.0.0.1 --port 8000" in unit["Service"]["ExecStart"]
    assert unit["Service"]["ProtectSystem"] == "strict"


def test_a_path_that_a_file_could_misread_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    odd = folder(tmp_path / "a b", {"content/posts/one.md": post(), "site.toml": SITE})
    assert run(["deploy-config", "systemd", str(odd)]) == 2
    assert "without spaces" in capsys.readouterr().err


def test_a_port_that_is_none_is_refused(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["deploy-config", "caddy", str(content), "--host", "::1", "--port", "99999"]) == 2
    assert "--port 99999 is not a port" in capsys.readouterr().err


def test_the_image_of_the_source_tree_is_small_and_not_root() -> None:
    text = (ROOT / "Containerfile").read_text()
    assert "USER 10001" in text
    assert "--require-hashes" in text
