"""How a server answers for an edition that was published elsewhere: the settings of its own."""

from dataclasses import replace
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.contract.site import CONNECTIONS, Deployment, ServerLimits
from citepress.settings import SettingsError, deployment_of, from_environment
from support.folder import SITE, folder, post


@pytest.mark.parametrize(
    ("environment", "limits"),
    [
        ({}, ServerLimits(connections=500, cache_mb=256)),
        ({"CITEPRESS_CACHE_MB": "16"}, ServerLimits(connections=500, cache_mb=16)),
        ({"CITEPRESS_CONNECTION_LIMIT": "50"}, ServerLimits(connections=50, cache_mb=256)),
        ({"CITEPRESS_REST_LIMIT": "10"}, ServerLimits(connections=500, cache_mb=256)),
    ],
)
def test_each_limit_of_a_server_is_that_of_its_environment_or_of_its_file(
    environment: dict[str, str], limits: ServerLimits
) -> None:
    settings = from_environment(Path("archive"), environ=environment)
    assert settings.deployed(Deployment(limits=ServerLimits(connections=500, cache_mb=256))).limits == limits


def test_a_server_without_settings_has_the_usual_limits() -> None:
    limits = from_environment(Path("archive"), environ={}).deployed(Deployment()).limits
    assert limits == ServerLimits(connections=CONNECTIONS, cache_mb=64)


@pytest.mark.parametrize(
    ("environment", "renewed"),
    [
        ({"CITEPRESS_CACHE_MB": "16"}, False),
        ({"CITEPRESS_CONNECTION_LIMIT": "50"}, False),
        ({"CITEPRESS_TRUSTED_PROXIES": "10.0.0.0/8", "CITEPRESS_FORWARDED_FIELD": "Forwarded"}, False),
        ({"CITEPRESS_REST_LIMIT": "10"}, True),
        ({"CITEPRESS_BASE_URL": "https://other.test"}, True),
    ],
)
def test_an_edition_is_made_anew_only_for_settings_that_it_shows(
    tmp_path: Path, environment: dict[str, str], renewed: bool
) -> None:
    root = folder(tmp_path / "site", {"content/posts/one.md": post()}, f"{SITE}[limits]\ncache_mb = 128\n")
    started = [from_environment(root, state=tmp_path / "state", environ=each) for each in ({}, environment, {})]
    for settings in started:
        built = Builder(settings).ensure(clock.now())
        fresh = Builder(replace(settings, state=tmp_path / "fresh")).build(clock.now())
        assert deployment_of(built.pointer) == deployment_of(fresh.pointer)
        assert (built.printed is not None) is (renewed or settings is started[0])


@pytest.mark.parametrize(
    ("name", "value", "bounds"),
    [
        ("INBOX_LIMIT", "200000", "from 1 to 100,000"),
        ("REST_LIMIT", "0", "from 1 to 1,000,000"),
        ("CONNECTION_LIMIT", "9", "from 10 to 1,000,000"),
        ("CACHE_MB", "9" * 6000, "from 8 to 1,000,000"),
        ("MCP_LIMIT", "many", "from 1 to 1,000,000"),
    ],
)
def test_a_limit_out_of_its_bounds_is_named_with_them(tmp_path: Path, name: str, value: str, bounds: str) -> None:
    with pytest.raises(SettingsError, match=f"^CITEPRESS_{name} is '.{{1,20}}': write a whole number {bounds}$"):
        from_environment(tmp_path, environ={f"CITEPRESS_{name}": value})
