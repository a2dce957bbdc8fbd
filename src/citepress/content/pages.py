"""What a content folder holds beside records: pages, registry entries, redirects, static files, templates."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel

from citepress.base.text import did_you_mean, sentence_list
from citepress.content import files, yaml_loader
from citepress.content.files import ContentFile, shown
from citepress.content.front import PageFront, validated
from citepress.content.images import Size, is_image, size_of
from citepress.content.links import Inspected, inspect
from citepress.content.source_map import SourceFile, split
from citepress.content.source_record import front_mapping, name_fault, open_text, text_warnings
from citepress.content.validation_messages import SLIPS, ValidationIssue, dotted
from citepress.contract.fault import BAD_NAME, BAD_REDIRECT, BAD_VALUE, BAD_YAML, FROZEN, IMAGE, MISSING_KEY, Fault, Span
from citepress.contract.kind import Registry
from citepress.contract.refs import Location

STATIC_BYTES = 5_242_880
TEMPLATE_BYTES = 262_144
REGISTRY_BYTES = 4_194_304
REDIRECT_BYTES = 1_048_576
_STATIC = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*|\.well-known")
_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*")


@dataclass(frozen=True, slots=True)
class PageFile:
    """A page of ``content/pages/``."""

    slug: str
    title: str
    summary: str
    updated: datetime | None
    body: str
    body_line: int
    inspected: Inspected
    manuscript: SourceFile


@dataclass(frozen=True, slots=True)
class Registered:
    """An entry of a registry and where it stands in its file."""

    registry: str
    entry: BaseModel
    manuscript: SourceFile
    at: Location


@dataclass(frozen=True, slots=True)
class Redirect:
    """A line of ``redirects.txt``."""

    former: str
    target: str
    place: Span


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that is passed through."""

    data: bytes
    size: Size | None
    """Of an image, where it can be read."""


def read_page(root: Path, file: ContentFile) -> tuple[PageFile | None, tuple[Fault, ...]]:
    """A page, or its faults."""
    manuscript = SourceFile(root, file.path)
    name = file.name.removesuffix(".md")
    text = name_fault(file, name) or open_text(root, file)
    if isinstance(text, Fault):
        return None, (text,)
    matter = split(text)
    raw = front_mapping(manuscript, matter)
    if isinstance(raw, Fault):
        return None, (raw,)
    front = validated(PageFront, raw)
    if isinstance(front, tuple):
        return None, tuple(slip.fault(manuscript) for slip in front)
    found = inspect(matter.body)
    page = PageFile(name, front.title, front.summary, front.lastmod, matter.body, matter.body_line, found, manuscript)
    return page, tuple(text_warnings(page))


def read_registry(root: Path, file: ContentFile, registry: Registry) -> tuple[tuple[Registered, ...], tuple[Fault, ...]]:
    """The entries of one registry file, and its faults."""
    manuscript = SourceFile(root, file.path)
    text = open_text(root, file, REGISTRY_BYTES)
    if isinstance(text, Fault):
        return (), (text,)
    try:
        value = yaml_loader.load(text)
    except yaml_loader.YamlFault as error:
        return (), (Fault.at(error.code, manuscript.at(*error.mark), error.message, error.hint),)
    entries: list[tuple[Location, object]] = [((at,), item) for at, item in enumerate(value)] if isinstance(value, list) else [((), value)]
    found: list[Registered] = []
    faults: list[Fault] = []
    for at, raw in entries:
        if not isinstance(raw, dict):
            faults.append(
                Fault.at(BAD_YAML, manuscript.locate(at), "is no mapping of keys to values", "write one mapping, or a list of them")
            )
        elif isinstance(entry := _entry(registry, raw), tuple):
            faults += [_shifted(slip, at).fault(manuscript) for slip in entry]
        else:
            found.append(Registered(registry.name, entry, manuscript, at))
            faults += _checked(registry, entry, manuscript, at)
    return tuple(found), tuple(faults[:SLIPS])


def _entry(registry: Registry, raw: dict[str, object]) -> BaseModel | tuple[ValidationIssue, ...]:
    names = list(registry.models)
    if names == [""]:
        model = registry.models[""]
    else:
        word = raw.get("type")
        if word is None:
            return (
                ValidationIssue(
                    ("type",), MISSING_KEY, "a required key is missing", f"write `type:` and one of {sentence_list(names, 'or')}"
                ),
            )
        if word not in registry.models:
            hint = did_you_mean(str(word), names)
            return (ValidationIssue(("type",), BAD_VALUE, f"{str(word)[:80]!r} is none of {sentence_list(names, 'or')}", hint),)
        model = registry.models[str(word)]
        raw = {key: value for key, value in raw.items() if key != "type"}
    entry: BaseModel | tuple[ValidationIssue, ...] = validated(model, raw)
    return entry


def _checked(registry: Registry, entry: BaseModel, manuscript: SourceFile, at: Location) -> Iterator[Fault]:
    for location, message in registry.check(entry):
        code = FROZEN if str(location[-1]).endswith("digest") else BAD_VALUE
        yield Fault.at(code, manuscript.locate((*at, *location)), f"{dotted(location)}: {message}")


def _shifted(slip: ValidationIssue, at: Location) -> ValidationIssue:
    return ValidationIssue((*at, *slip.location), slip.code, slip.message, slip.hint, slip.key)


def read_redirects(root: Path, file: ContentFile) -> tuple[tuple[Redirect, ...], tuple[Fault, ...]]:
    """The lines ``/from /to [308]`` of a file; ``#`` begins a comment."""
    text = open_text(root, file, REDIRECT_BYTES)
    if isinstance(text, Fault):
        return (), (text,)
    found: list[Redirect] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        place = Span(file.path, number, len(line) - len(line.lstrip()) + 1, line[:400])
        if message := _redirect_fault(words):
            faults.append(Fault.at(BAD_REDIRECT, place, message, "write `/from/ /to/`"))
        else:
            found.append(Redirect(words[0], words[1], place))
    return tuple(found), tuple(faults[:SLIPS])


def _redirect_fault(words: list[str]) -> str:
    if len(words) not in (2, 3):
        return f"holds {len(words)} words; a former path and a present one are wanted"
    if len(words) == 3 and words[2] not in ("301", "308"):  # noqa: PLR2004
        return f"{words[2][:40]!r} is no status of a permanent redirect"
    wrong = next((word for word in words[:2] if not is_path(word)), "")
    if wrong:
        return f"{wrong[:80]!r} is no path of this site"
    return "leads to itself" if words[0] == words[1] else ""


def is_path(path: str) -> bool:
    """Whether a path may stand in the archive's own address space."""
    return _PATH.fullmatch(path) is not None and "//" not in path and not {".", ".."} & set(path.split("/"))


def read_static(root: Path, file: ContentFile) -> tuple[StaticFile | None, tuple[Fault, ...]]:
    """A file that is passed through, or its faults (and a warning beside an image that no size can be read from)."""
    wrong = next((part for part in file.path.split("/")[1:] if not _STATIC.fullmatch(part)), "")
    if wrong:
        hint = "use letters, digits, dots, hyphens and underscores"
        return None, (Fault.at(BAD_NAME, Span(shown(file.path)), f"the name {shown(wrong)!r} cannot stand in a path", hint),)
    data = files.read(root, file, STATIC_BYTES)
    if isinstance(data, Fault):
        return None, (data,)
    size = size_of(file.path, data) if is_image(file.path) else None
    if size or not is_image(file.path):
        return StaticFile(data, size), ()
    hint = "save it again as PNG, JPEG, GIF, WebP, AVIF or SVG"
    return StaticFile(data, None), (Fault.at(IMAGE, Span(shown(file.path)), "its width and height cannot be read", hint),)


def read_template(root: Path, file: ContentFile) -> tuple[str, tuple[Fault, ...]]:
    """The text of a template."""
    text = open_text(root, file, TEMPLATE_BYTES)
    return ("", (text,)) if isinstance(text, Fault) else (text, ())
