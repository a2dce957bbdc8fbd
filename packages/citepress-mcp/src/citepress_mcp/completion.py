"""Suggestions for the arguments of prompts and resource templates, from what the edition holds."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from xml.sax.saxutils import unescape

from citepress.base import fast_json
from citepress.edition.edition import Edition
from citepress.kinds import ALL as KINDS
from citepress.kinds.topics import KIND as TOPICS
from citepress_mcp.jsonrpc import INVALID_PARAMS, RpcError
from citepress_mcp.prompt import Prompt

MAX_SUGGESTIONS = 100
"""Maximum number of suggestions in one answer."""
MAX_COMPLETED_CHARS = 500
"""Maximum length of a value to complete."""
MAX_COMPLETION_VALUES = 50_000
"""Values of one argument that are looked through."""
MAX_LIST_PARTS = 400
"""Parts of a list that are read for it."""
_LOC = re.compile(r"<loc>([^<]+)</loc>")
_MEMBERS = re.compile(r"\{\+?([a-z_]+)\}")
Values = tuple[str, ...]


class Completer:
    """Completes arguments from the values of one edition."""

    def __init__(self, edition: Edition, templates: Iterable[Mapping[str, Any]], prompts: Mapping[str, Prompt]) -> None:
        self._edition = edition
        self._base = edition.config.base_url
        self._templates = {str(template["uriTemplate"]): template for template in templates}
        self._prompts = prompts
        self._cache: dict[str, Values] = {}

    def complete(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result of ``completion/complete``. Raises ``RpcError`` (invalid params)."""
        ref, argument = params.get("ref"), params.get("argument")
        if not isinstance(ref, dict) or not isinstance(argument, dict):
            raise RpcError(INVALID_PARAMS, "ref and argument must be objects")
        name, value = argument.get("name"), argument.get("value")
        if not isinstance(name, str) or not isinstance(value, str) or len(value) > MAX_COMPLETED_CHARS:
            raise RpcError(
                INVALID_PARAMS,
                f"argument must have a name and a value, strings of at most {MAX_COMPLETED_CHARS} characters",
            )
        values, ordered = self._values(ref, name, _context(params))
        wanted = value.lower()
        first = [name for name in values if name.lower().startswith(wanted)]
        inside = (
            [name for name in values if wanted in name.lower() and not name.lower().startswith(wanted)]
            if wanted
            else []
        )
        matches = [*first, *inside] if ordered else [*sorted(first), *sorted(inside)]
        return {
            "completion": {
                "values": matches[:MAX_SUGGESTIONS],
                "total": len(matches),
                "hasMore": len(matches) > MAX_SUGGESTIONS,
            }
        }

    def _values(self, ref: Mapping[str, Any], name: str, context: Mapping[str, Any]) -> tuple[Values, bool]:
        """All possible values of an argument, and whether their order is meaningful."""
        if ref.get("type") == "ref/prompt":
            prompt = self._prompts.get(str(ref.get("name")))
            if prompt is None or name not in {argument.name for argument in prompt.arguments}:
                raise RpcError(INVALID_PARAMS, "There is no such prompt or argument")
            return self._of_prompt(name)
        uri = str(ref.get("uri"))
        if ref.get("type") != "ref/resource" or uri not in self._templates or name not in _MEMBERS.findall(uri):
            raise RpcError(INVALID_PARAMS, "There is no such resource template or argument")
        return self._of_template(uri.removeprefix(self._base), name, context), False

    def _of_prompt(self, name: str) -> tuple[Values, bool]:
        if name == "topic":
            return self._slugs(TOPICS.name), False
        if name == "url":
            return self._once("url", self._sources), False
        return (self._once("week", self._weeks), True) if name == "week" else ((), False)

    def _of_template(self, path: str, name: str, context: Mapping[str, Any]) -> Values:
        if name == "slug":
            collection = path.split("/")[1]
            return self._slugs(str(context.get("collection", "")) if collection.startswith("{") else collection)
        value_lists: Mapping[str, Callable[[], Iterable[str]]] = {
            "collection": self._collections,
            "origin": lambda: self._last_steps("sources"),
            "shard": self._shards,
            "page": lambda: self._pages(path.split("/")[1]),
        }
        return self._once(name, value_lists[name]) if name in value_lists else ()

    def _once(self, key: str, read: Callable[[], Iterable[str]]) -> Values:
        """Values that are computed on first use."""
        if key not in self._cache:
            self._cache[key] = tuple(read())[:MAX_COMPLETION_VALUES]
        return self._cache[key]

    def _slugs(self, collection: str) -> Values:
        return (
            self._once(f"{collection}/", lambda: self._last_steps(collection))
            if collection in self._collections()
            else ()
        )

    def _collections(self) -> Values:
        """The collections that have a template of their own."""
        names = (uri.removeprefix(self._base).split("/") for uri in self._templates)
        return tuple(
            steps[1]
            for steps in names
            if len(steps) == len(("", "name", "{slug}", "")) and steps[2] == "{slug}" and steps[1][0] != "{"
        )

    def _last_steps(self, folder: str) -> list[str]:
        """The last step of every page below a folder, from the site map's own lists."""
        steps_found: list[str] = []
        start = f"{self._base}/{folder}/"
        for number in range(1, MAX_LIST_PARTS):
            shard = self._text(f"/sitemaps/{folder}-{number}.xml")
            if not shard or len(steps_found) >= MAX_COMPLETION_VALUES:
                break
            steps = (
                unescape(address).removeprefix(start).rstrip("/")
                for address in _LOC.findall(shard)
                if unescape(address).startswith(start)
            )
            steps_found += [step for step in steps if step and "/" not in step]
        return steps_found

    def _shards(self) -> list[str]:
        return [shard["id"] for shard in self._json("/discovery-graph.json").get("shards", ())]

    def _pages(self, collection: str) -> list[str]:
        return [str(number + 1) for number in range(self._json(f"/{collection}.json").get("page_count", 0))]

    def _weeks(self) -> list[str]:
        """The first days of the periods of digests, newest first."""
        return [
            item["period"]["start"][:10]
            for kind in KINDS
            if "period" in kind.deciding
            for item in self._json(f"/{kind.name}.json").get("items", ())
            if item.get("period")
        ]

    def _sources(self) -> list[str]:
        """Every cited address."""
        urls: list[str] = []
        part, parts = self._json("/source-ledger.json"), 0
        while part and len(urls) < MAX_COMPLETION_VALUES and parts < MAX_LIST_PARTS:
            urls += [source["url"] for source in part["sources"] if source["url"].startswith("https://")]
            part, parts = self._json(str(part["next"]).removeprefix(self._base)) if part.get("next") else {}, parts + 1
        return urls

    def _text(self, path: str) -> str:
        served = self._edition.find(path)
        return bytes(served.leaf.body).decode() if served else ""

    def _json(self, path: str) -> dict[str, Any]:
        document: dict[str, Any] = fast_json.loads(self._text(path) or b"{}")
        return document


def _context(params: Mapping[str, Any]) -> Mapping[str, Any]:
    context = params.get("context")
    arguments = context.get("arguments") if isinstance(context, dict) else None
    return arguments if isinstance(arguments, dict) else {}
