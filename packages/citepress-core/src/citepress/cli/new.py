"""``citepress new``: a draft that already passes ``check``, with every member its kind needs."""

import datetime as dt
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from cyclopts import Parameter

from citepress.base import clock
from citepress.base.slugs import is_slug, slugify
from citepress.base.text import did_you_mean, sentence_list
from citepress.base.timestamps import day
from citepress.cli.console import answer, complain
from citepress.content.front import front_model
from citepress.content.placeholders import SUMMARY, TEXT_PLACEHOLDER
from citepress.contract.kind import Kind
from citepress.contract.model import MayLieAhead
from citepress.contract.refs import Ref, marked, replace_marked
from citepress.extension import install_hint
from citepress.kinds import ALL as KINDS
from citepress.kinds.posts import KIND as POSTS

AHEAD = 365
"""Days from today to a date that may lie ahead."""
FIRST = ("title", "summary", "date", "draft", "topics", "tags")


def new(
    kind: str,
    slug: str,
    /,
    *,
    title: str | None = None,
    content: Path = Path(),
    json: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Create a draft record of a kind.

    Parameters
    ----------
    kind
        The collection: posts, topics, …
    slug
        Name of the record in its URL: lower-case words joined by hyphens.
    title
        The headline; derived from the slug when left out.
    content
        The content folder.
    json
        As JSON.
    """
    kinds = {declared.name: declared for declared in KINDS}
    if kind not in kinds:
        complain(f"no kind is called {kind!r}. {capitalised(_suggestion(kind, kinds))}")
        return 2
    if not is_slug(slug):
        complain(
            f"{slug!r} is not a slug; write {slugify(slug)!r}"
            if slugify(slug)
            else f"{slug!r} is not a slug: use lower-case words and hyphens"
        )
        return 2
    if not content.is_dir():
        complain(f"{content} is not a folder; name the one with the content, or make one: citepress init {content}")
        return 2
    path = content / "content" / kind / f"{slug}.md"
    if path.exists():
        complain(f"{path} exists already")
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    headline = title or slug.replace("-", " ").capitalize()
    path.write_text(text_of(kinds[kind], headline, _neighbour(content, f"{kind}/{slug}")), "utf-8")
    text = f"{path}\nIt is a draft: `citepress serve {content} --drafts --watch` shows it."
    answer(text, {"file": str(path), "id": f"{kind}/{slug}", "draft": True}, as_json=json)
    return 0


def capitalised(sentence: str) -> str:
    """The sentence as it follows a full stop."""
    return sentence[:1].upper() + sentence[1:]


def _suggestion(kind: str, kinds: Collection[str]) -> str:
    """What to install for a kind that there is not, or to write in its place."""
    every = f"Kinds are {sentence_list(sorted(kinds))}."
    return install_hint(f"content/{kind}/") or did_you_mean(kind, kinds) or every


def text_of(kind: Kind, title: str, neighbour: str) -> str:
    """Front matter and body of a draft; where a record must be named it is the neighbour."""
    model = front_model(kind)
    schema = model.model_json_schema(mode="validation")
    members: dict[str, Any] = {
        "title": title,
        "summary": SUMMARY,
        "date": _today(),
        "draft": True,
        "topics": [],
        "tags": [],
    }
    for name in schema["required"]:
        if name not in members:
            members[name] = _sample(schema["properties"][name], schema.get("$defs", {}))
            if any(isinstance(mark, MayLieAhead) for mark in model.model_fields[name].metadata):
                members[name] += dt.timedelta(days=AHEAD)
    if kind.nugget:
        members[kind.nugget] = TEXT_PLACEHOLDER
    ordered = {name: members[name] for name in (*FIRST, *(name for name in members if name not in FIRST))}
    named = {mark.location: neighbour for mark in marked(model.model_validate(members)) if isinstance(mark.mark, Ref)}
    front = yaml.safe_dump(replace_marked(ordered, named), sort_keys=False, allow_unicode=True, width=120)
    return f"---\n{front}---\n\n{kind.about}\n"


def _neighbour(content: Path, own: str) -> str:
    """A record that exists, for members that must name one; the new record itself in an empty folder."""
    record = next(iter(sorted((content / "content" / POSTS.name).glob("*.md"))), None)
    return f"{POSTS.name}/{record.stem}" if record else own


def _today() -> dt.date:
    return dt.date.fromisoformat(day(clock.now()))


def _sample(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Any:  # noqa: ANN401, PLR0911  (a value of any type, one return a type)
    """A value that fits a schema, so that a new draft passes ``check`` before a word of it is written."""
    if "$ref" in schema:
        return _sample(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "const" in schema or "enum" in schema or "default" in schema:
        return schema.get("const", schema.get("default", (schema.get("enum") or [None])[0]))
    if "anyOf" in schema:
        return _sample(schema["anyOf"][0], definitions)
    match schema.get("type"):
        case "object":
            return {name: _sample(schema["properties"][name], definitions) for name in schema.get("required", ())}
        case "array":
            return [_sample(schema["items"], definitions) for _ in range(schema.get("minItems", 0))]
        case "integer" | "number":
            low, high = schema.get("minimum", 0), schema.get("maximum")
            return low if high is None or schema["type"] == "integer" else (low + high) / 2
        case "boolean":
            return False
        case _:
            return _today() if schema.get("format") == "date-time" else _words(schema)


def _words(schema: Mapping[str, Any]) -> str:
    wanted: int = schema.get("minLength", 0)
    if schema.get("format") == "uri" or "url" in str(schema.get("title", "")).lower():
        return "https://example.org/"
    return TEXT_PLACEHOLDER + "." * max(0, wanted - len(TEXT_PLACEHOLDER))
