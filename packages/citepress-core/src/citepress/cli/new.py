"""``citepress new``: a draft that already passes ``check``, with every member its kind needs."""

import datetime as dt
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from cyclopts import Parameter

from citepress.base import clock
from citepress.base.invisible import CONTROL
from citepress.base.slugs import is_slug, slugify
from citepress.base.text import did_you_mean, sentence_list
from citepress.base.timestamps import day
from citepress.cli.console import Folder, answer, complain
from citepress.cli.new_dataset import dataset_files
from citepress.cli.scaffold import write_scaffold
from citepress.content.files import is_folder, is_there
from citepress.content.front import front_model
from citepress.content.owner_file import OWNER_FILE
from citepress.content.placeholders import SUMMARY, TEXT_PLACEHOLDER
from citepress.content.settings_file import SETTINGS_FILE
from citepress.content.text import unwanted_in
from citepress.contract.kind import Kind
from citepress.contract.model import MayLieAhead
from citepress.contract.refs import Ref, marked, replace_marked
from citepress.contract.site import OWNER_PAGE
from citepress.edition.machine.guides import path_of_page
from citepress.extension import install_hint
from citepress.kinds import ALL as KINDS
from citepress.kinds.posts import KIND as POSTS

AHEAD = 365
"""Days from today to a date that may lie ahead."""
FIRST = ("title", "summary", "date", "draft", "topics", "tags")


def _kinds(_typed: object) -> list[str]:
    return [*(kind.name for kind in KINDS), "page", "owner", "dataset"]


def new(
    kind: Annotated[str, Parameter(completer=_kinds)],
    slug: str = "",
    content: Folder = Path(),
    *,
    title: str | None = None,
    source: Annotated[Path | None, Parameter(name="--from")] = None,
    json: bool = False,
) -> int:
    """Create a draft record of a kind, a page, the owner or a dataset.

    Parameters
    ----------
    kind
        A collection (posts or post), page, owner or dataset.
    slug
        Name in its URL: lower-case words joined by hyphens.
    content
        The content folder.
    title
        The headline; by default made of the slug.
    source
        CSV file of a dataset, from which its schema and README are made.
    json
        Print JSON.
    """
    kinds = {declared.name: declared for declared in KINDS}
    others = {"pages": _page, "owner": _owner, "datasets": _dataset}
    name = next((each for each in (kind, f"{kind}s") if each in kinds or each in others), "")
    if not name:
        complain(f"no kind is called {kind!r}. {capitalised(_suggestion(kind, kinds))}")
        return 2
    if reason := _wrong_slug(name, slug) or _wrong_source(name, source) or _wrong_title(title) or _no_archive(content):
        complain(reason)
        return 2
    headline = title or slug.replace("-", " ").capitalize()
    if name in kinds:
        draft = text_of(kinds[name], headline, _neighbour(content, f"{name}/{slug}")).encode()
        files = {f"content/{name}/{slug}.md": draft}
        path = f"/{name}/{slug}/"
    else:
        files, path = others[name](slug, headline, source)
    about = {"id": f"{name}/{slug}".rstrip("/"), "draft": name in kinds, "path": path}
    return _write(content, files, about, as_json=json)


def _write(content: Path, files: Mapping[str, bytes], about: Mapping[str, object], *, as_json: bool) -> int:
    """Write new files, all or none."""
    paths = [content / name for name in files]
    if there := next((path for path in paths if path.exists()), None):
        complain(f"{there} exists already")
        return 1
    write_scaffold(content, files)
    to_do, option = ("It is a draft:", " --drafts") if about["draft"] else (f"Replace {TEXT_PLACEHOLDER!r}; then", "")
    lines = [*map(str, paths), f"{to_do} `citepress serve {content}{option} --watch` shows it at {about['path']}."]
    answer("\n".join(lines), {"file": str(paths[0]), **about}, as_json=as_json)
    return 0


def _page(slug: str, title: str, _source: Path | None) -> tuple[dict[str, bytes], str]:
    front = yaml.safe_dump({"title": title, "summary": ""}, sort_keys=False, allow_unicode=True)
    return {f"content/pages/{slug}.md": f"---\n{front}---\n\n{TEXT_PLACEHOLDER}\n".encode()}, path_of_page(slug)


def _owner(_slug: str, title: str, _source: Path | None) -> tuple[dict[str, bytes], str]:
    words = {"name": title or TEXT_PLACEHOLDER, "type": "Person", "headline": TEXT_PLACEHOLDER}
    front = yaml.safe_dump({**words, "description": TEXT_PLACEHOLDER}, sort_keys=False, allow_unicode=True)
    return {OWNER_FILE: f"---\n{front}---\n".encode()}, OWNER_PAGE


def _dataset(slug: str, title: str, source: Path | None) -> tuple[dict[str, bytes], str]:
    files = dataset_files(source, title, day(clock.now())) if source else {}
    return {f"datasets/{slug}/{name}": data for name, data in files.items()}, f"/datasets/{slug}/"


def _wrong_slug(name: str, slug: str) -> str:
    if name == "owner":
        return f"an owner has no slug: leave {slug!r} out, and name the folder with --content" if slug else ""
    if is_slug(slug):
        return ""
    better = slugify(slug)
    return f"{slug!r} is not a slug" + (f"; write {better!r}" if better else ": use lower-case words and hyphens")


def _wrong_source(name: str, source: Path | None) -> str:
    if (name == "datasets") == bool(source):
        return ""
    return "name the CSV file of the dataset: --from rows.csv" if name == "datasets" else "--from goes with a dataset"


def _wrong_title(title: str | None) -> str:
    """Why a title cannot be published, or an empty string."""
    is_line = title is None or (title.strip() and not CONTROL.search(title))
    return (
        "" if is_line else f"--title {unwanted_in(title or '') or 'is empty or not one line'}; write one line of text"
    )


def _no_archive(folder: Path) -> str:
    """Why a record cannot be made in a folder, and where it could be; empty where the folder is an archive."""
    if not folder.is_dir():
        return f"{folder} is not a folder; name the one with the content, or make one: citepress init {folder}"
    if is_there(folder / SETTINGS_FILE) or is_folder(folder / "content"):
        return ""
    reason = f"{folder.resolve()} is not an archive: it has neither {SETTINGS_FILE} nor content/"
    if above := next((each for each in folder.resolve().parents if is_there(each / SETTINGS_FILE)), None):
        return f"{reason}. Name the archive above it: --content {above}"
    return f"{reason}. Make one: citepress init {folder if folder != Path() else 'my-archive'}"


def capitalised(sentence: str) -> str:
    """The sentence as it follows a full stop."""
    return sentence[:1].upper() + sentence[1:]


def _suggestion(kind: str, kinds: Collection[str]) -> str:
    """What to install for a kind that there is not, or to write in its place."""
    every = f"Kinds are {sentence_list(sorted(kinds))}, and page, owner and dataset."
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
    return f"---\n{front}---\n\n{TEXT_PLACEHOLDER} {kind.about}\n"


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
