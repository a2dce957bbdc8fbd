"""Reads what is not a record: pages, registry entries, static files, templates."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from citepress.base.text import did_you_mean, sentence_list
from citepress.content import files, yaml_loader
from citepress.content.dialects import as_commonmark
from citepress.content.files import ContentFile, printable_path
from citepress.content.front import InvalidError, PageFront, front_of, validated
from citepress.content.front_mapping import front_mapping
from citepress.content.images import Size, is_image, size_of
from citepress.content.links import Inspected, inspect
from citepress.content.open_text import open_text
from citepress.content.parsed import Parsed
from citepress.content.placeholders import placeholder_faults
from citepress.content.rewritten import Rewritten
from citepress.content.source_map import FrontMatter, SourceFile, split
from citepress.content.source_record import FaultyRecord, check_name, or_text, refuse_deep_text, text_warnings
from citepress.content.validation_messages import MAX_ISSUES, ValidationIssue, dotted
from citepress.contract.fault import (
    BAD_NAME,
    BAD_VALUE,
    BAD_YAML,
    FROZEN,
    IMAGE,
    MISSING_KEY,
    Fault,
    FaultCode,
    Faults,
    Span,
)
from citepress.contract.kind import Registry
from citepress.contract.refs import Location

E = TypeVar("E", bound=BaseModel)
STATIC_BYTES = 5_242_880
TEMPLATE_BYTES = 262_144
REGISTRY_BYTES = 4_194_304
_STATIC = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*|\.well-known")


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
    source_file: SourceFile
    rewritten: Rewritten | None = None
    """How the body of a readme differs from the text of its file."""


@dataclass(frozen=True, slots=True)
class Registered:
    """An entry of a registry and its place in its file."""

    registry: str
    entry: BaseModel
    source_file: SourceFile
    at: Location


@dataclass(frozen=True, slots=True)
class StaticFile:
    """A file that is passed through."""

    data: bytes
    size: Size | None
    """Of an image, where it can be read."""


def read_page(root: Path, file: ContentFile) -> Parsed[PageFile | FaultyRecord]:
    """A page, or its text where the front matter has faults. Raises ``Faults`` where there is no text to be read."""
    source_file = SourceFile(root, file.path)
    name = file.name.removesuffix(".md")
    check_name(file, name)
    matter = split(open_text(root, file))
    return or_text(partial(_page, name, source_file, matter), f"pages/{name}", source_file, matter)


def _page(name: str, source_file: SourceFile, matter: FrontMatter) -> Parsed[PageFile | FaultyRecord]:
    raw = front_mapping(source_file, matter)
    front = front_of(PageFront, raw, source_file)
    text = as_commonmark(matter.body)
    about = (name, front.title, front.summary, front.lastmod)
    page = PageFile(*about, text.text, matter.body_line, inspect(text.text), source_file, text if text.edits else None)
    refuse_deep_text(page)
    return Parsed(page, (*placeholder_faults(raw, source_file, matter), *text_warnings(page)))


def read_registry(root: Path, file: ContentFile, registry: Registry) -> Parsed[tuple[Registered, ...]]:
    """The entries of one registry file. Raises ``Faults`` where the file as a whole cannot be read."""
    source_file = SourceFile(root, file.path)
    text = open_text(root, file, REGISTRY_BYTES)
    try:
        whole = yaml_loader.load(text)
    except yaml_loader.YamlFault as error:
        raise Faults([Fault.at(error.code, source_file.at(*error.mark), error.message, error.hint)]) from None
    raw_entries: list[tuple[Location, object]] = [((), whole)]
    if isinstance(whole, list):
        raw_entries = [((place,), raw) for place, raw in enumerate(whole)]
    entries: list[Registered] = []
    faults: list[Fault] = []
    for at, raw in raw_entries:
        try:
            entry = _entry(registry, raw)
        except InvalidError as error:
            faults += [_shifted(issue, at).fault(source_file) for issue in error.issues]
        else:
            entries.append(Registered(registry.name, entry, source_file, at))
            faults += _checked(registry, entry, source_file, at)
    return Parsed(tuple(entries), tuple(faults[:MAX_ISSUES]))


def _entry(registry: Registry[E], raw: object) -> E:
    """One entry as the model that its ``type`` names. Raises ``InvalidError``."""
    if not isinstance(raw, dict):
        raise _invalid((), BAD_YAML, "is not a mapping of keys to values", "write one mapping, or a list of them")
    names = list(registry.models)
    if names == [""]:
        return validated(registry.models[""], raw)
    word = raw.get("type")
    choice = sentence_list(names, "or")
    if word is None:
        raise _invalid(("type",), MISSING_KEY, "a required key is missing", f"write `type:` and one of {choice}")
    model = registry.models.get(str(word))
    if model is None:
        message = f"{str(word)[:80]!r} is none of {choice}"
        raise _invalid(("type",), BAD_VALUE, message, did_you_mean(str(word), names))
    return validated(model, {key: value for key, value in raw.items() if key != "type"})


def _invalid(location: Location, code: FaultCode, message: str, hint: str) -> InvalidError:
    return InvalidError((ValidationIssue(location, code, message, hint),))


def _checked(registry: Registry[E], entry: E, source_file: SourceFile, at: Location) -> Iterator[Fault]:
    for location, message in registry.check(entry):
        code = FROZEN if str(location[-1]).endswith("digest") else BAD_VALUE
        yield Fault.at(code, source_file.locate((*at, *location)), f"{dotted(location)}: {message}")


def _shifted(issue: ValidationIssue, at: Location) -> ValidationIssue:
    return replace(issue, location=(*at, *issue.location))


def read_static(root: Path, file: ContentFile) -> Parsed[StaticFile]:
    """A file of ``static/``. Raises ``Faults``."""
    wrong = next((part for part in file.path.split("/")[1:] if not _STATIC.fullmatch(part)), "")
    if wrong:
        hint = "use letters, digits, dots, hyphens and underscores"
        message = f"the name {printable_path(wrong)!r} cannot be part of a path"
        raise Faults([Fault.at(BAD_NAME, Span(printable_path(file.path)), message, hint)])
    return static_file(root, file)


def static_file(root: Path, file: ContentFile) -> Parsed[StaticFile]:
    """A file that is passed through, with a warning where the size of an image cannot be read. Raises ``Faults``."""
    data = files.read_bytes(root, file, STATIC_BYTES)
    size = size_of(file.path, data) if is_image(file.path) else None
    if size or not is_image(file.path):
        return Parsed(StaticFile(data, size))
    hint = "save it again as PNG, JPEG, GIF, WebP, AVIF or SVG"
    warning = Fault.at(IMAGE, Span(printable_path(file.path)), "its width and height cannot be read", hint)
    return Parsed(StaticFile(data, None), (warning,))


def read_template(root: Path, file: ContentFile) -> Parsed[str]:
    """The text of a template. Raises ``Faults``."""
    return Parsed(open_text(root, file, TEMPLATE_BYTES))
