"""How a server answers for an edition that was published elsewhere: the settings of its own."""

from pathlib import Path

import pytest

from citepress.contract.site import CONNECTIONS, Deployment, ServerLimits
from citepress.settings import from_environment


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
