"""The prompts and skills, read from the Markdown files beside this module, and a prompt's messages for given values."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import date, datetime, timedelta
from importlib.resources import files
from typing import Any

import yaml

from citepress.base.slugs import SLUG
from citepress.base.urls import UrlError, normalise
from citepress_mcp.jsonrpc import INVALID_PARAMS, RpcError
from citepress_mcp.prompt import Argument, First, Prompt, Skill

PROMPT_NAMES = ("research_a_url", "weekly_ai_engineering_brief", "verify_a_claim")
"""The prompts, in the order of their list; each file is also a skill."""
SKILL_ONLY = ("contribute_to_the_archive",)
INPUTS = "{inputs}"
TOKENS = 1500
"""Budget of an answer that goes with a prompt."""
WEEK = timedelta(days=7)
SINCE, UNTIL = "since", "until"
"""The bounds of a week, as tools take them; a prompt whose first answers take them tells them among its inputs."""
_FRONT = re.compile(r"---\n(.*?)\n---\n+(.*)", re.DOTALL)
_CONDITION = re.compile(r"\{if (\w+)\} (?:([^{}\n]*)\{end\}|(.*\n))")
"""Words, or the rest of a line, that are there where a tool is."""
_BACKTICKS = re.compile(r"`+")
Answered = Callable[[str, Mapping[str, str], int], "str | None"]
"""The text that a tool answers to these arguments within a budget; ``None`` when it has no results."""


def prompts(tools: Collection[str]) -> tuple[Prompt, ...]:
    """The prompts of the package, for an archive that offers these tools."""
    return tuple(_prompt(name, tools) for name in PROMPT_NAMES)


def skills(tools: Collection[str]) -> tuple[Skill, ...]:
    """The skills of the package: the prompts' own texts, with their inputs asked from the user, and one more."""
    return tuple(
        _skill(name, tools)
        for name in (*PROMPT_NAMES, *SKILL_ONLY)
        if {*_read(name, tools)[0].get("needs", ())} <= {*tools}
    )


def _read(name: str, tools: Collection[str]) -> tuple[dict[str, Any], str]:
    match = _FRONT.fullmatch((files("citepress_mcp") / "prompts" / f"{name}.md").read_text("utf-8"))
    if match is None:
        raise ValueError(f"prompts/{name}.md has no front matter")
    text = _CONDITION.sub(lambda part: (part[2] or part[3]) if part[1] in tools else "", match[2])
    return yaml.safe_load(match[1]), text.strip()


def _prompt(name: str, tools: Collection[str]) -> Prompt:
    front, text = _read(name, tools)
    arguments = tuple(Argument(**argument) for argument in front["arguments"])
    first = tuple(First(call["tool"], call["arguments"]) for call in front.get("first", ()))
    return Prompt(name, front["title"], front["description"], arguments, text, first)


def _skill(name: str, tools: Collection[str]) -> Skill:
    front, text = _read(name, tools)
    asked = "\n".join(
        f"- {argument['title']}{'' if argument.get('required') else ' (optional)'}: {argument['description']}"
        for argument in front.get("arguments", ())
    )
    inputs = f"Ask the user for:\n\n{asked}" if asked else ""
    body = f"# {front['title']}\n\n{CONNECTION}\n\n{text.replace(INPUTS, inputs)}\n"
    return Skill(name.replace("_", "-"), front["title"], front["skill"], body)


CONNECTION = "The tools named below are those of the MCP server of {title}, at {endpoint}."


def messages(prompt: Prompt, values: Mapping[str, Any], as_of: datetime, answered: Answered) -> list[dict[str, Any]]:
    """The messages of a prompt. Raises ``RpcError`` (invalid params) for values that do not fit, all faults at once."""
    given = _checked(prompt, values)
    week = (
        _week(given.get("week", ""), as_of)
        if any(source == SINCE for first in prompt.first for source in first.arguments.values())
        else {}
    )
    inputs_given = {
        argument.name: given[argument.name] for argument in prompt.arguments if argument.name in given
    } | week
    inputs = "\n".join(f"{name}: {value}" for name, value in inputs_given.items())
    texts = [prompt.text.replace(INPUTS, _fenced(inputs) if inputs else "No inputs were given.")]
    texts += _answers(prompt, inputs_given, answered)
    return [{"role": "user", "content": {"type": "text", "text": text}} for text in texts]


def _answers(prompt: Prompt, inputs: Mapping[str, str], answered: Answered) -> Iterator[str]:
    """The tools' answers that open the prompt, each with its heading."""
    for first in prompt.first:
        arguments = {name: inputs[source] for name, source in first.arguments.items() if source in inputs}
        if (text := answered(first.tool, arguments, TOKENS)) is not None:
            yield f"Answer of {first.tool} (data)\n\n{_fenced(text)}"


def _week(day: str, as_of: datetime) -> dict[str, str]:
    """The first day of the week that a date lies in and the day after its last.

    For none the first of the seven days up to ``as_of``.
    """
    if not day:
        return {SINCE: (as_of - WEEK).date().isoformat()}
    monday = date.fromisoformat(day)
    monday -= timedelta(days=monday.weekday())
    return {SINCE: monday.isoformat(), UNTIL: (monday + WEEK).isoformat()}


def _fenced(text: str) -> str:
    """The text as data: in a fence that is longer than any run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}data\n{text}\n{fence}"


def _checked(prompt: Prompt, values: Mapping[str, Any]) -> dict[str, str]:
    """The values of known arguments; others are passed over."""
    faults = [
        f"{argument.name} {fault}"
        for argument in prompt.arguments
        if (fault := _fault(argument, values.get(argument.name)))
    ]
    if faults:
        raise RpcError(INVALID_PARAMS, f"{prompt.name}: {'; '.join(faults)}")
    return {argument.name: values[argument.name] for argument in prompt.arguments if values.get(argument.name)}


def _fault(argument: Argument, value: object) -> str:
    """What is wrong with a value; empty when nothing is."""
    if value is None or value == "":
        return "is required" if argument.required else ""
    if not isinstance(value, str):
        return "must be a string"
    if not argument.least <= len(value) <= argument.most:
        return f"must have {argument.least} to {argument.most:,} characters"
    return _SORTS[argument.sort](value)


def _https(value: str) -> str:
    try:
        return "" if normalise(value).startswith("https://") else "must be an https URL"
    except UrlError:
        return "must be an https URL"


def _slug(value: str) -> str:
    return "" if SLUG.fullmatch(value) else "must be the slug of a topic"


def _date(value: str) -> str:
    try:
        date.fromisoformat(value) - WEEK
        date.fromisoformat(value) + WEEK
    except (ValueError, OverflowError):
        return "must be a date (YYYY-MM-DD)"
    return ""


_SORTS: Mapping[str, Callable[[str], str]] = {"text": lambda _: "", "https": _https, "slug": _slug, "date": _date}
