"""The templates of an archive: its overrides before the theme, compiled once.

A broken override is a fault of the author.
"""

from collections.abc import Callable, Mapping
from traceback import walk_tb
from types import CodeType, TracebackType
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, FunctionLoader, StrictUndefined, Template, TemplateSyntaxError
from jinja2.bccache import Bucket
from jinja2.exceptions import SecurityError
from markupsafe import Markup

from citepress.contract.fault import BAD_TEMPLATE, Fault, Faults, Span
from citepress.edition.forms.template_sandbox import OverrideEnvironment
from citepress.edition.forms.theme_code import ThemeEnvironment
from citepress.edition.theme import THEME_TEMPLATES

TEMPLATES_FOLDER = "templates/"
"""Where an archive keeps its overrides; also the beginning of their file names in faults."""
THEME = "theme/"
"""Prefix under which an override can extend the template that it replaces."""
Loaded = tuple[str, str, Callable[[], bool]]


class _Compiled(BytecodeCache):
    """Compiled templates by name; later editions of the same process reuse them while their source is unchanged."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, CodeType]] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        checksum, code = self._held.get(bucket.key, ("", None))
        if checksum == bucket.checksum:
            bucket.code = code

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code is not None:
            self._held[bucket.key] = (bucket.checksum, bucket.code)


_COMPILED = {OverrideEnvironment: _Compiled(), ThemeEnvironment: _Compiled()}
"""A sandbox compiles the same template to other code."""


class PageTemplates:
    """The templates of one archive."""

    def __init__(
        self, overrides: Mapping[str, str], filters: Mapping[str, Callable[..., Any]], **values: object
    ) -> None:
        """Compile nothing yet; ``overrides`` are sources by name, ``known`` the values that every template sees.

        Foreign templates run in a sandbox.
        """
        self._overrides = dict(overrides)
        self._parts: dict[tuple[object, ...], Markup] = {}
        environment = OverrideEnvironment if overrides else ThemeEnvironment
        self._environment = environment(
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            cache_size=-1,
            bytecode_cache=_COMPILED[environment],
            loader=ChoiceLoader([FunctionLoader(self._override), FunctionLoader(_theme)]),
        )
        self._environment.filters.update(filters)
        self._environment.globals.update(values, fixed=self._fixed)

    def render(self, name: str, values: Mapping[str, Any]) -> str:
        """Render a template. Raises ``Faults`` (CP034) where an override cannot be read or fails."""
        if isinstance(self._environment, OverrideEnvironment):
            self._environment.begin()
        try:
            return self._template(name).render(values)
        except TemplateSyntaxError as error:
            if (error.filename or "").startswith(TEMPLATES_FOLDER):
                raise Faults([self._fault(error.filename or "", error.lineno, error.message or "")]) from None
            raise
        except Exception as error:
            file, line = _place(error.__traceback__)
            if isinstance(error, SecurityError) and not file:  # of the whole page, where no line is to blame
                file, line = f"{TEMPLATES_FOLDER}{name}.html", 1
            if not file:
                raise
            raise Faults([self._fault(file, line, str(error))]) from None

    def _fixed(self, name: str, **marks: str | bool) -> Markup:
        """A template that depends on nothing but the site and a few marks, rendered once for each of them."""
        key = (name, *marks.items())
        if key not in self._parts:
            self._parts[key] = Markup(self._template(name).render(marks))  # noqa: S704  (escaped when it was rendered)
        return self._parts[key]

    def _template(self, name: str) -> Template:
        return self._environment.get_template(f"{name}.html")

    def _override(self, name: str) -> Loaded | None:
        source = self._overrides.get(name)
        return None if source is None else (source, TEMPLATES_FOLDER + name, lambda: True)

    def _fault(self, file: str, line: int, message: str) -> Fault:
        lines = self._overrides.get(file.removeprefix(TEMPLATES_FOLDER), "").splitlines()
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        hint = "templates see page, head, paper and site"
        return Fault.at(BAD_TEMPLATE, Span(file, line, 1 if text else 0, text), " ".join(message.split()), hint)


def _theme(name: str) -> Loaded | None:
    bare = name.removeprefix(THEME)
    source = THEME_TEMPLATES.get(bare)
    return None if source is None else (source, THEME + bare, lambda: True)


def _place(trace: TracebackType | None) -> tuple[str, int]:
    """File and line of the override in which an error arose; empty when it arose in none."""
    position = ("", 0)
    for frame, line in walk_tb(trace):
        if frame.f_code.co_filename.startswith(TEMPLATES_FOLDER):
            position = (frame.f_code.co_filename, line)
    return position
