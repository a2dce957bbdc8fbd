"""What ``site.toml`` and the environment set for caches, shared counters and servers of editions."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, model_validator

from citepress.contract.model import Model, OneLine
from citepress.contract.settings_table import SettingsTable, Variable


class Purge(Model):
    """How the caches in front of the servers are told what ``citepress publish`` changed."""

    driver: Literal["http", "fastly", "cloudflare", "varnish"]
    """Interface of the cache."""
    urls: list[Annotated[str, Field(pattern=r"^https?://[^\s]+$", max_length=500)]] = Field(
        default_factory=list, max_length=100
    )
    """Addresses that take purges, one for each cache; by default the provider's."""
    zone: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")] | None = None
    """Id of Fastly's service or Cloudflare's zone."""
    secret_file: OneLine | None = None
    """File of the token, of mode 0600."""
    secret_env: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")] | None = None
    """Or the environment variable that holds it."""
    settle_s: Annotated[int, Field(ge=0, le=300)] = 5
    """Seconds until purges are repeated, when every server has the edition."""

    @model_validator(mode="after")
    def _complete(self) -> "Purge":
        if self.driver in {"fastly", "cloudflare"} and not (self.zone and (self.secret_file or self.secret_env)):
            raise ValueError(f"{self.driver} needs zone, and secret_file or secret_env")
        if self.driver in {"http", "varnish"} and not self.urls:
            raise ValueError(f"{self.driver} needs urls")
        return self


def _cache_keys(purge: Purge) -> Mapping[str, object]:
    """The field that these caches read."""
    return {"cache_keys": ["Cache-Tag" if purge.driver == "cloudflare" else "Surrogate-Key"]}


TABLES = (SettingsTable("purge", private=Purge, implies=_cache_keys),)
VARIABLES = (
    Variable(
        "VALKEY_URL",
        "Valkey address of shared counters; by default the workers of this host share them in a file",
        secret=True,
    ),
    Variable(
        "EDITION",
        "object store of `citepress.asgi:application`, instead of `CONTENT`; commands have `--edition`",
    ),
    Variable("SETTINGS", "settings file of such a server; commands have `--settings`"),
    Variable(
        "EDITION_KEY",
        "public key of the publisher whose editions `serve --edition` takes; by default the first one that it sees",
    ),
)
