"""The declaration of a prompt and of a skill: texts that instruct an agent how to work with the archive."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a prompt; its value is always a string."""

    name: str
    title: str
    description: str
    sort: str
    """What its value must be: ``text``, ``https`` (a URL), ``slug`` or ``date`` (``YYYY-MM-DD``)."""
    most: int
    """Characters at most."""
    least: int = 1
    required: bool = False


@dataclass(frozen=True, slots=True)
class First:
    """An answer that goes with a prompt, computed before the model asks for it."""

    tool: str
    arguments: Mapping[str, str]
    """Argument of the tool by name: the name of a prompt's argument, or ``since`` and ``until`` for the week's first
    day and the day after its last."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A task that a user may start by name."""

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    text: str
    """Markdown with ``{inputs}`` in place of the user's values."""
    first: tuple[First, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """A task as a file that agents keep (agentskills.io): front matter and Markdown."""

    name: str
    """Its folder, lower-case words joined by hyphens."""
    title: str
    description: str
    text: str
    """Markdown below the front matter, with ``{title}`` and ``{endpoint}`` where the publication is named."""

    @property
    def uri(self) -> str:
        """Its address as an MCP resource."""
        return f"skill://{self.name}/SKILL.md"

    @property
    def path(self) -> str:
        """Its public path."""
        return f"/.well-known/agent-skills/{self.name}/SKILL.md"
