"""Proxies that cannot be trusted as they are written are refused at once, in one sentence."""

from pathlib import Path

import pytest

from support.commands import citepress
from support.folder import SITE, folder, post
from support.running_server import HOST, free_port, serving


def ran(command: str, root: Path, **environ: str) -> tuple[int, str]:
    """A command's exit code and everything that it said."""
    port = ["--port", str(free_port())] if command == "serve" else []
    done = citepress(command, str(root), *port, **environ)
    return done.returncode, done.stdout + done.stderr


def test_networks_that_hold_every_client_are_warned_of_with_the_next_step(tmp_path: Path) -> None:
    line = 'trusted_proxies = ["10.0.0.1", "0.0.0.0/0", "::/0"]'
    code, output = ran("check", folder(tmp_path, {"content/posts/a.md": post()}, site=f"{line}\n{SITE}"))
    assert code == 0
    said = " ".join(output.split())
    assert "trusted_proxies[1]: every client in 0.0.0.0/0 can choose its own address" in said
    assert "hint: name the addresses of your proxies only" in said
    assert said.count("CP036") == 2


@pytest.mark.parametrize("command", ["serve", "check"])
@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("CITEPRESS_TRUSTED_PROXIES", "foo", "CITEPRESS_TRUSTED_PROXIES holds 'foo'"),
        ("CITEPRESS_TRUSTED_PROXIES", "10.0.0.5, 10.0.0.0/99", "CITEPRESS_TRUSTED_PROXIES holds '10.0.0.0/99'"),
        (
            "CITEPRESS_FORWARDED_FIELD",
            "X-Real-IP",
            "CITEPRESS_FORWARDED_FIELD is 'X-Real-IP': write X-Forwarded-For or Forwarded",
        ),
        ("CITEPRESS_CONNECTION_LIMIT", "many", "CITEPRESS_CONNECTION_LIMIT is 'many'"),
        ("CITEPRESS_BASE_URL", "https://x.test:99999", "CITEPRESS_BASE_URL: 'https://x.test:99999' has no valid host"),
    ],
)
def test_a_variable_that_cannot_be_used_is_one_sentence(
    tmp_path: Path, command: str, variable: str, value: str, said: str
) -> None:
    code, output = ran(command, folder(tmp_path, {"content/posts/a.md": post()}), **{variable: value})
    assert (code, "Traceback" in output) == (2, False)
    assert said in " ".join(output.split())


@pytest.mark.parametrize("command", ["serve", "check"])
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('trusted_proxies = ["10.0.0.1", "foo"]', "'foo' is neither an address nor a network"),
        ('forwarded_field = "Via"', "forwarded_field"),
    ],
)
def test_a_setting_that_cannot_be_used_is_a_fault_of_its_line(
    tmp_path: Path, command: str, line: str, said: str
) -> None:
    code, output = ran(command, folder(tmp_path, {"content/posts/a.md": post()}, site=f"{line}\n{SITE}"))
    assert (code, "Traceback" in output) == (1, False)
    assert said in " ".join(output.split())
    assert "site.toml:1" in output


def test_the_field_that_is_configured_is_the_one_that_counts(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post()}, site=f'forwarded_field = "Forwarded"\n{SITE}')
    with serving(root, root / "state", trusted_proxies=HOST, rest_limit="3") as server:
        left = [
            server.ask("/posts.json", forwarded="for=203.0.113.1", x_forwarded_for=f"203.0.113.{at}").fields[
                "ratelimit-remaining"
            ]
            for at in range(3)
        ]
        assert left == ["2", "1", "0"]
        assert server.ask("/posts.json", forwarded="for=203.0.113.1", x_forwarded_for="203.0.113.9").status == 429
