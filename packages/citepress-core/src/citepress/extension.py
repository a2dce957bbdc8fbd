"""What an installed package adds to citepress: declared once, found by entry points, imported when first needed.

Nothing here imports more than the standard library, because every command reads the list of extensions.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from citepress.base.declared_names import COMMAND_GROUPS, CORE_COMMANDS, FOLDER, METRIC, WORD, check_names, kind_names
from citepress.base.errors import CitepressError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

T = TypeVar("T")
Reference = str
"""``module:attribute``."""
Claims = Callable[[T], Iterable[str]]
"""Gives the names of an item that no other item may have."""
CORE = "citepress-core"
GROUP = "citepress.extensions"
"""Entry points of extensions, by their names."""
OFFERS = "citepress.offers"
"""Entry points of the package ``citepress``: the word that a user writes, and the extra that brings it."""
MAX_REASON_CHARS = 300
RENDERS = {"renders": True}
"""Marks a point that editions are made of: another text of its code is another edition. The others serve."""
NEEDS_EXTENSION = "it needs an extension that is not installed"


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or a group of commands, of ``citepress``."""

    name: str
    runs: Reference
    """A function with the parameters of the command, or the cyclopts ``App`` of a group of commands."""
    summary: str
    """The line in the list of commands, and the first line of its docstring or help."""
    examples: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """How the help ends, by command (``recipes list`` of a group): the words after ``citepress``, and what they do."""
    group: str = "Run"
    """Where the help lists it: ``Write``, ``Publish``, ``Review``, ``Measure``, ``Sell``, ``Run`` or ``Reference``."""

    def mistake(self) -> str:
        """What is wrong with the declaration; empty where nothing is."""
        if self.name in CORE_COMMANDS:
            return "citepress itself has a command of that name"
        if self.group not in COMMAND_GROUPS:
            return f"group is {self.group!r:.100}: {', '.join(COMMAND_GROUPS)} are the groups"
        if not _is_reference(self.runs):
            return f"runs is {self.runs!r:.100}: write module:attribute"
        strange = next((key for key in self.examples if f"{key} ".partition(f"{self.name} ")[0]), "")
        return f"examples has {strange!r}, which is not a command of it" if strange else ""

    def __post_init__(self) -> None:
        """Raises ``ValueError`` where the name is none that a user can write as a command."""
        check_names("the command", (self.name,), WORD, "one word in lower case")


@dataclass(frozen=True, slots=True)
class FrontPart:
    """A part of the front page, which ``[home] parts`` may name."""

    name: str
    makes: Reference = ""
    """A function ``(citepress.edition.render_context.RenderContext) -> blocks``."""
    before: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What a package adds. Most parts are the ``Reference`` of a tuple of declarations.

    A declaration whose member ``before`` names another is listed before that one, the others at the end.

    A package names its object under ``[project.entry-points."citepress.extensions"]`` of its project table, with the
    name of the extension as the key.
    """

    name: str
    """One word in lower case."""
    needed_to_serve: bool = True
    """Whether an edition that was built with it can only be served with it."""
    commands: tuple[Command, ...] = ()
    """Commands, and groups of them."""
    kinds: Reference = field(default="", metadata=RENDERS)
    """Record kinds: ``citepress.contract.kind.Kind``."""
    registries: Reference = field(default="", metadata=RENDERS)
    """Folders of entries that one report publishes: ``citepress.contract.kind.Registry``."""
    readers: Reference = field(default="", metadata=RENDERS)
    """Readers of folders that are not laid out as an archive: ``citepress.content.folder_formats.FolderFormat``."""
    front_parts: tuple[FrontPart, ...] = field(default=(), metadata=RENDERS)
    """Parts of the front page."""
    starters: str = ""
    """The package whose folders ``starters/<template>`` are added to those of ``citepress init``."""
    scaffolds: Reference = ""
    """Functions ``(folder, files) -> files``: what `init` and `new` write with these new files, or instead."""
    forms: Reference = field(default="", metadata=RENDERS)
    """Representations of every page: ``citepress.contract.form.Form``."""
    citations: Reference = field(default="", metadata=RENDERS)
    """Representations of a citation alone: ``citepress.contract.form.CitationForm``."""
    documents: Reference = field(default="", metadata=RENDERS)
    """Documents and pages: ``citepress.contract.document.Document`` and ``Pages``."""
    operations: Reference = field(default="", metadata=RENDERS)
    """REST actions and tools: ``citepress.contract.operation.Operation``."""
    agent_tasks: Reference = ""
    """Functions ``(OperationContext) -> tasks`` that ``list_agent_tasks`` lists last: ``TaskItem`` with ``topics``."""
    tables: Reference = field(default="", metadata=RENDERS)
    """Tables of ``site.toml``: ``citepress.contract.settings_table.SettingsTable``."""
    routes: Reference = field(default="", metadata=RENDERS)
    """Further rows of the route table, of handlers that it adds to workers: ``citepress.contract.route.Route``."""
    apis: Reference = field(default="", metadata=RENDERS)
    """APIs in addition to the documents, as guides, pages and catalogs name them: ``citepress.contract.api.Api``."""
    limits: tuple[str, ...] = ()
    """Names of the limits that its handlers spend, which metrics count apart."""
    counted: Mapping[str, str] = field(default_factory=dict)
    """What its handlers count in ``WorkerMetrics``: names of metrics, and what each counts."""
    folders: tuple[str, ...] = ()
    """Folders of the state that a backup copies: their files only grow, or are written once."""
    stores: Reference = ""
    """Tables that it owns in databases, and their migrations: ``citepress.stores.sql.store_tables.StoreTables``."""
    services: Reference = ""
    """Functions ``(citepress.app.binding.ProcessStart) -> {type: object}``: what operations ask the context for."""
    workers: Reference = ""
    """Functions ``(citepress.app.binding.WorkerStart) -> WorkerParts``: handlers and tasks of a worker."""
    edition_servers: Reference = ""
    """Options of ``serve`` for editions from elsewhere, a subclass of
    ``citepress.admin.edition_provider.EditionProvider``; one extension alone may give it."""
    publications: Reference = ""
    """Functions ``(settings) -> citepress.admin.announcers.Announcer``: who hears of editions that a server makes."""
    counters: Reference = ""
    """A function ``(settings) -> (database) -> citepress.contract.limits.RemoteCounters``, or ``None`` where no host
    shares them; one extension alone may give it."""
    variables: Reference = ""
    """Environment variables that it reads: ``citepress.contract.settings_table.Variable``."""
    facts: Reference = field(default="", metadata=RENDERS)
    """Functions ``(site) -> {name: JSON}``: what an edition tells whoever serves it, in ``SiteConfig.facts``."""
    guide: Reference = field(default="", metadata=RENDERS)
    """Functions ``(context) -> blocks``, which follow the interactive sections of the developer guide."""
    start_checks: Reference = ""
    """Functions ``(deployment, config, database) -> sentences`` for the operator, called once before a service starts;
    one that raises keeps it from starting."""
    doctor: Reference = ""
    """Checks of ``citepress doctor``: ``citepress.admin.doctor.DoctorCheck``."""
    published: Reference = ""
    """Functions ``(settings, database, archive, moment)``, called when a build has been published; one that raises
    ``StoreUnavailable`` is called again after the seconds that it names."""
    companions: Reference = ""
    """Functions ``(settings, pointer) -> CompanionProcess``, or ``None``: processes in addition to the workers."""
    overlays: Reference = ""
    """Functions ``(settings, deployment) -> bool``: whether this installation renders what replaces live documents,
    instead of taking it with the edition."""
    metrics: Reference = ""
    """Functions ``(settings) -> metrics`` for the operator, in addition to those of stores: ``MetricFamily``."""
    site_checks: Reference = field(default="", metadata=RENDERS)
    """Functions ``(root, site) -> faults``, which ``check`` and every build ask about the settings and the machine."""
    fault_codes: Reference = ""
    """Codes of the faults that it reports: ``citepress.contract.fault.FaultCode``."""
    pictures: Reference = field(default="", metadata=RENDERS)
    """A function ``(site) -> citepress.contract.picture.Pictures``, or ``None``; one extension alone may give it."""
    record_details: Reference = ""
    """Functions ``(entry) -> {name: JSON}``: what an index keeps with each record, as ``StoredDocument.detail``."""
    measurements: Reference = ""
    """What is measured of a search index and kept with it: ``citepress.search.measuring.Measurement``."""
    vectors: Reference = ""
    """A function ``(deployment) -> citepress.search.meaning.VectorSource``, or ``None`` where it is switched off; one
    extension alone may give it."""

    def __post_init__(self) -> None:
        """Raises ``ValueError`` where a name is none; whoever imports the extension says whose it is."""
        check_names("the name", (self.name,), WORD, "one word in lower case")
        check_names("limits:", self.limits, METRIC, "a word of small letters, digits and _, in a tuple")
        check_names("counted:", self.counted, METRIC, "the name of a metric, in a mapping", Mapping)
        check_names("folders:", self.folders, FOLDER, "the plain name of a folder, in a tuple")


RENDERED = tuple(each.name for each in fields(Extension) if each.metadata == RENDERS)


class ExtensionError(CitepressError):
    """An extension cannot be loaded, or contradicts another one; the sentence names it."""


@dataclass(frozen=True, slots=True)
class Installed:
    """An extension and the distribution that brought it, whose metadata is read when it is asked for."""

    extension: Extension
    entry: "EntryPoint"

    @property
    def package(self) -> str:
        """The top-level package of its code."""
        return self.entry.module.partition(".")[0]

    @property
    def distribution(self) -> str:
        """The name under which it was installed."""
        return _distribution(self.entry)

    @property
    def version(self) -> str:
        """The version of the distribution."""
        return self.entry.dist.version if self.entry.dist else "?"


@cache  # the library parses the whole metadata of a distribution for its name
def _distribution(entry: "EntryPoint") -> str:
    return entry.dist.name if entry.dist else "?"


def _entry_points(group: str) -> "EntryPoints":
    # The library takes 10 ms to load, which a command that asks for no extension is spared.
    points: EntryPoints = import_module("importlib.metadata").entry_points(group=group)
    return points


@cache
def installed() -> tuple[Installed, ...]:
    """Every installed extension, by name. Raises ``ExtensionError``."""
    by_name: dict[str, Installed] = {}
    for entry in sorted(_entry_points(GROUP), key=lambda entry: (entry.name, entry.value)):
        source = _loaded(entry)
        if other := by_name.get(entry.name):
            names = f"{other.distribution} and {source.distribution}"
            raise ExtensionError(f"{names} both bring an extension {entry.name!r}: uninstall one of them")
        by_name[entry.name] = source
    return tuple(by_name.values())


def _loaded(entry: "EntryPoint") -> Installed:
    try:
        extension = entry.load()
    except BaseException as error:
        raise _refusal(entry, error) from error
    if not isinstance(extension, Extension) or extension.name != entry.name:
        raise ExtensionError(
            f"{_named(entry)} cannot be loaded: {entry.value} is {extension!r:.100}, not an Extension of that name"
        )
    source = Installed(extension, entry)
    _checked(source, "commands", extension.commands, Command)
    return source


def _refusal(entry: "EntryPoint", error: BaseException) -> BaseException:
    if isinstance(error, ExtensionError):  # of another extension, which this one imports
        return error
    if isinstance(error, KeyboardInterrupt):  # most often the user's own
        return KeyboardInterrupt(f"{_named(entry)} was interrupted while it was loaded")
    reason = _brief(f"{type(error).__name__}: {error}")
    return ExtensionError(f"{_named(entry)} cannot be loaded: {reason}. {_way_out(_distribution(entry))}")


@cache
def _declared(point: str) -> tuple[tuple[Installed, tuple[Any, ...]], ...]:
    """What each extension has at a point. Raises ``ExtensionError``."""
    return tuple((source, _resolved(source, value)) for source in installed() if (value := _at(source, point)))


def _at(source: Installed, point: str) -> Any:  # noqa: ANN401  (a reference, or the parts themselves)
    return getattr(source.extension, point)


def _resolved(source: Installed, value: Any) -> Any:  # noqa: ANN401
    if not isinstance(value, str):
        return value
    if not _is_reference(value):
        raise ExtensionError(f"{_named(source.entry)}: {value!r:.100} is not a reference: write module:attribute")
    module, _, attribute = value.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except BaseException as error:
        raise _refusal(source.entry, error) from error


def _is_reference(text: Reference) -> bool:
    return all(text.partition(":"))


def _named(entry: "EntryPoint") -> str:
    return f"the extension {entry.name!r} of {_distribution(entry)}"


def _brief(reason: str) -> str:
    return " ".join(reason.split())[:MAX_REASON_CHARS]


def _way_out(distribution: str) -> str:
    return f"Correct it, or remove it: pip uninstall {distribution}"


def _nothing(_item: object) -> tuple[str, ...]:
    return ()


_SOURCES: dict[int, Installed] = {}
"""The extension of each joined part, by its identity; parts are constants of modules and live as long as this."""


def joined(
    point: str, kind: type[T] | tuple[type, ...], core: Iterable[T] = (), claims: Claims[T] = _nothing
) -> tuple[T, ...]:
    """What the core and every extension have at a point, in that order.

    Raises ``ExtensionError`` where two packages claim one name.
    """
    parts = [*core]
    for source, declared in _declared(point):
        for item in _checked(source, point, declared, kind):
            _SOURCES[id(item)] = source
            parts.append(item)
    owners: dict[str, T] = {}
    for item in parts:
        for claim in claims(item):
            if (other := owners.setdefault(claim, item)) is not item:
                names = f"{owner_of(other)} and {owner_of(item)}"
                raise ExtensionError(f"{names} both claim {claim!r} ({point}): uninstall one of them")
    return _placed(parts)


def _placed(parts: Sequence[T]) -> tuple[T, ...]:
    """The parts, each that names another as ``before`` in front of it."""
    named = {getattr(part, "name", "") for part in parts if not getattr(part, "before", "")}
    led: dict[str, list[T]] = {}
    for part in parts:
        before = getattr(part, "before", "")
        led.setdefault(before if before in named else "", []).append(part)
    last = led.pop("", [])
    return tuple(item for part in last for item in (*led.get(getattr(part, "name", ""), ()), part))


def _checked(source: Installed, point: str, declared: object, kind: type | tuple[type, ...]) -> tuple[Any, ...]:
    if not isinstance(declared, tuple) or not all(isinstance(item, kind) for item in declared):
        raise ExtensionError(f"{_named(source.entry)}: {point} is {declared!r:.100}, not a tuple of {kind_names(kind)}")
    for item in declared:
        # What is declared is wrong for whoever runs the archive, too: the way out is in every sentence.
        if mistake := getattr(item, "mistake", str)():
            raise ExtensionError(
                f"{_named(source.entry)}: {type(item).__name__} {item.name!r}: {mistake}. Correct it, or uninstall"
                f" {source.distribution}"
            )
    return declared


def owner_of(item: object) -> str:
    """The distribution of a part that was joined."""
    source = _SOURCES.get(id(item))
    return source.distribution if source else CORE


def failure(part: Any, point: str, reason: str) -> ExtensionError:  # noqa: ANN401  (a function, or what has a name)
    """The sentence on what is wrong with a part that was joined; ``point`` is empty for a declaration."""
    owner, reason = owner_of(part), _brief(reason)
    if point:
        return ExtensionError(f"{_named(_SOURCES[id(part)].entry)}: {point}: {reason}")
    return ExtensionError(f"the {type(part).__name__} {part.name!r} of {owner} failed: {reason}. {_way_out(owner)}")


def function_of(part: object, reference: Reference) -> Callable[..., Any]:
    """The function that a part of an extension names. Raises ``ExtensionError``."""
    return cast("Callable[..., Any]", _resolved(_SOURCES[id(part)], reference))


def derived(part: object, items: Iterable[T]) -> Iterator[T]:
    """The items, which are derived from a part and belong to its distribution too."""
    source = _SOURCES.get(id(part))
    for item in items:
        if source:
            _SOURCES[id(item)] = source
        yield item


def installed_with(points: Collection[str]) -> tuple[Installed, ...]:
    """The extensions that have something at one of these points. Raises ``ExtensionError``."""
    return tuple(source for source in installed() if any(_at(source, point) for point in points))


@cache
def provider(point: str) -> Callable[..., Any] | None:
    """The function or class at a point that one extension alone may have. Raises ``ExtensionError`` where two do."""
    declared = _declared(point)
    if declared[1:]:
        names = " and ".join(source.distribution for source, _ in declared)
        raise ExtensionError(f"{names} both give {point}, which one extension alone may give: uninstall one of them")
    for source, function in declared:
        _SOURCES[id(function)] = source
        if not callable(function):
            raise failure(function, point, f"it is {function!r:.100}, which cannot be called")
        return cast("Callable[..., Any]", function)
    return None


def install_hint(word: str) -> str:
    """What to install for a command, or a table such as ``site.purge``; empty where no package offers it."""
    extra = next((entry.value for entry in _entry_points(OFFERS) if entry.name == word), "")
    return f"{NEEDS_EXTENSION}: pip install 'citepress[{extra}]'" if extra else ""
