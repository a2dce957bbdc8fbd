"""The settings of one run: the command line overrides the environment, and both override ``site.toml``."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import cast, get_args

from pydantic import TypeAdapter, ValidationError

from citepress.base.errors import CitepressError
from citepress.base.urls import LAST_PORT
from citepress.contract.settings_table import Variable
from citepress.contract.site import Deployment, ForwardedField, Network, ServerLimits, Site, normal_base_url
from citepress.extension import install_hint, joined

ENV_PREFIX = "CITEPRESS_"
VARIABLES = (
    Variable("CONTENT", "content folder of `citepress.asgi:application`"),
    Variable("BASE_URL", "public address; by default made of `--host` and `--port`"),
    Variable("STATE", "folder of the state; commands have `--state`"),
    Variable(
        "DATABASE_URL",
        "PostgreSQL address of the state store; by default a SQLite file in the state folder",
    ),
    Variable("TRUSTED_PROXIES", "`trusted_proxies`, separated by commas"),
    Variable("FORWARDED_FIELD", "`forwarded_field`"),
    Variable("REST_LIMIT", "`rest` of `[limits]`", limit="rest"),
    Variable(
        "SEARCH_LIMIT",
        "`search` of `[limits]`",
        limit="search",
    ),
    Variable("CONNECTION_LIMIT", "`connections` of `[limits]`", limit="connections"),
    Variable(
        "CACHE_MB",
        "`cache_mb` of `[limits]`",
        limit="cache_mb",
    ),
)
"""Environment variables of the core."""
MAX_NUMBER_CHARS = 20
"""Characters of a number that are read, and repeated where it is none."""
DEPLOYMENT = "deployment.json"
"""File beside the folder of an edition: how this installation serves it."""


class SettingsError(CitepressError, ValueError):
    """A setting cannot be read; the sentence names the variable."""

    exit_code = 2


@cache
def variables() -> tuple[Variable, ...]:
    """The environment variables of the core and of every extension. Raises ``ExtensionError``."""
    return joined("variables", Variable, VARIABLES, lambda variable: (variable.name,))


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run."""

    root: Path
    """The content folder."""
    state: Path
    """Folder of everything that changes while serving, and of the packed edition."""
    host: str = "127.0.0.1"
    port: int = 8000
    drafts: bool = False
    base_url: str | None = None
    database_url: str | None = None
    trusted_proxies: tuple[str, ...] = ()
    forwarded_field: ForwardedField | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    """What the environment sets of the variables of extensions, by their names."""
    workers: int = 1
    """Worker processes; several share the counters of limits."""
    json_log: bool = False
    break_history: bool = False
    """Whether the first edition of the run may begin a new log, or take another key, where these do not go on."""

    def applied(self, site: Site) -> Site:
        """The site as this run serves it: an address that nobody set is the one listened on."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        derived = site.base_url if "base_url" in site.model_fields_set else f"http://{host}:{self.port}"
        proxies = list(self.trusted_proxies) or site.trusted_proxies
        limits = type(site.limits).model_validate({**site.limits.model_dump(), **self.limits})
        overrides = {
            "base_url": normal_base_url(self.base_url or derived),
            "trusted_proxies": proxies,
            "limits": limits,
        }
        return site.model_copy(update={**overrides, "forwarded_field": self.forwarded_field or site.forwarded_field})

    def deployed(self, deployment: Deployment) -> Deployment:
        """How this run serves an edition that was published elsewhere: its own settings under its environment."""
        limits = {name: self.limits.get(name, getattr(deployment.limits, name)) for name in ServerLimits.model_fields}
        overrides = {
            "trusted_proxies": list(self.trusted_proxies) or deployment.trusted_proxies,
            "forwarded_field": self.forwarded_field or deployment.forwarded_field,
            "limits": ServerLimits.model_validate(limits),
        }
        return deployment.model_copy(update=overrides)


def keep_deployment(output: Path, deployment: Deployment) -> None:
    """Write how this installation serves the edition in a folder; its owner alone may read it."""
    output.mkdir(parents=True, exist_ok=True)
    part = output / f".{DEPLOYMENT}.part"
    part.unlink(missing_ok=True)
    part.touch(0o600)
    part.write_text(deployment.model_dump_json(by_alias=True) + "\n", "utf-8")
    part.replace(output / DEPLOYMENT)


def deployment_of(pointed: Path) -> Deployment:
    """How this installation serves the edition that a pointer file names. Raises ``SettingsError``."""
    file = pointed.parent.with_name(DEPLOYMENT)
    try:
        # What an extension wrote that is not installed here is nothing to serve by.
        return Deployment.model_validate_json(file.read_bytes(), extra="ignore")
    except (OSError, ValidationError) as error:
        raise SettingsError(
            f"{file} does not tell how the edition is served; start the service anew: {error}"
        ) from None


def from_environment(
    root: Path,
    *,
    state: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    drafts: bool = False,
    base_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings of a run; the command line overrides the environment. Raises ``SettingsError``."""
    if not 1 <= port <= LAST_PORT:
        raise SettingsError(f"--port {port} is not a port: write a number from 1 to {LAST_PORT}")
    folder = state or (Path(environ[ENV_PREFIX + "STATE"]) if environ.get(ENV_PREFIX + "STATE") else root / "state")
    limits = {
        variable.limit: _whole(environ, ENV_PREFIX + variable.name, variable.limit)
        for variable in variables()
        if variable.limit and environ.get(ENV_PREFIX + variable.name)
    }
    return Settings(
        root,
        folder,
        host,
        port,
        drafts,
        _url("--base-url", base_url) or _url(ENV_PREFIX + "BASE_URL", environ.get(ENV_PREFIX + "BASE_URL")),
        _secret(environ, "DATABASE_URL"),
        _proxies(environ),
        _forwarded_field(environ),
        limits,
        _variables(environ),
    )


def _variables(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The variables of extensions; one that is set for an extension that is not installed must not go unnoticed."""
    declared = {variable.name for variable in variables()}
    for name in (name.removeprefix(ENV_PREFIX) for name in environ if name.startswith(ENV_PREFIX) and environ[name]):
        named = ENV_PREFIX + name.removesuffix("_FILE")
        if named.removeprefix(ENV_PREFIX) not in declared and (hint := install_hint(named)):
            raise SettingsError(f"{ENV_PREFIX}{name} is set: {hint}")
    added = (variable for variable in variables() if variable not in VARIABLES and not variable.limit)
    values = ((each.name, _secret(environ, each.name, file=each.secret)) for each in added)
    return {name: value for name, value in values if value}


def _proxies(environ: Mapping[str, str]) -> tuple[str, ...]:
    networks = [part.strip() for part in environ.get(ENV_PREFIX + "TRUSTED_PROXIES", "").split(",") if part.strip()]
    try:
        return tuple(TypeAdapter(list[Network]).validate_python(networks))
    except ValidationError as error:
        wrong = error.errors()[0]["input"]
        raise SettingsError(
            f"{ENV_PREFIX}TRUSTED_PROXIES holds {wrong!r}, which is neither an address nor a network: write 10.0.0.5 or"
            " 10.0.0.0/24"
        ) from None


def _forwarded_field(environ: Mapping[str, str]) -> ForwardedField | None:
    field_name = environ.get(ENV_PREFIX + "FORWARDED_FIELD")
    for name in get_args(ForwardedField):
        if field_name and field_name.lower() == name.lower():
            return cast("ForwardedField", name)
    if field_name:
        raise SettingsError(
            f"{ENV_PREFIX}FORWARDED_FIELD is {field_name!r}: write {' or '.join(get_args(ForwardedField))}"
        )
    return None


def _url(name: str, url: str | None) -> str | None:
    """The public address that an option or a variable gives."""
    if url and not url.startswith(("http://", "https://")):
        raise SettingsError(f"{name} is {url!r}: write an http or https address")
    try:
        return normal_base_url(url) if url else None
    except ValueError as error:
        raise SettingsError(f"{name}: {error}") from None


def _whole(environ: Mapping[str, str], name: str, limit: str) -> int:
    """A limit within the bounds that ``[limits]`` of ``site.toml`` has for it."""
    text, bounds = environ[name], type(Site().limits).model_fields[limit].metadata
    least, most = (next(getattr(bound, end) for bound in bounds if hasattr(bound, end)) for end in ("ge", "le"))
    if len(text) > MAX_NUMBER_CHARS or not text.isdecimal() or not least <= int(text) <= most:
        raise SettingsError(f"{name} is {text[:MAX_NUMBER_CHARS]!r}: write a whole number from {least:,} to {most:,}")
    return int(text)


def _secret(environ: Mapping[str, str], variable: str, *, file: bool = True) -> str | None:
    """A value that may hold a password: from the variable, or from the file that ``<variable>_FILE`` names."""
    if value := environ.get(ENV_PREFIX + variable):
        return value
    if not file or not (path := environ.get(ENV_PREFIX + variable + "_FILE")):
        return None
    try:
        return Path(path).read_text("utf-8").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{ENV_PREFIX}{variable}_FILE names {path!r}, which cannot be read: {error}") from None
