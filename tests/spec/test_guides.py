"""The guides teach the whole interface, only what is on, and every example of theirs works as it is printed."""

import json
import re
import shlex
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest

from citepress.operations.registry import ALL as OPERATIONS
from citepress_mcp.offer import offered
from support.commands import citepress
from support.demo import Demo
from support.folder import SITE, folder
from support.running_server import Answer, Server, serving

GUIDES = (
    "/developers.md",
    "/agents.md",
    "/llms.txt",
    "/llms-full.txt",
    "/robots.txt",
    "/openapi.json",
    "/openapi-route-catalog.json",
    "/connect.md",
)
FENCE = re.compile(r"^```sh\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([A-Z]+) (\S+?)`")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """What ``citepress init`` makes: no payments, no hub."""
    where = tmp_path_factory.mktemp("init") / "archive"
    assert citepress("init", str(where)).returncode == 0
    with serving(where, where.parent / "state") as server:
        yield Demo(server)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    where = tmp_path_factory.mktemp("empty")
    with serving(folder(where / "archive", {}, SITE), where / "state") as server:
        yield Demo(server)


def _run(server: Server, command: str) -> Answer:
    """Send what a ``curl`` command of a guide would."""
    words = shlex.split(command.replace("\\\n", " "))
    assert words[0] == "curl"
    fields = {}
    body, url = b"", ""
    for word, value in zip(words[1:], [*words[2:], ""], strict=True):
        if word == "-H":
            name, _, content = value.partition(": ")
            fields[name.lower().replace("-", "_")] = content
        elif word == "-d":
            body = value.encode()
        elif word.startswith("http"):
            url = word
    parts = urlsplit(url)
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    return server.ask(target, "POST" if body else "GET", body, **server.client(), **fields)


@pytest.mark.requirement("GET /developers/", "mcp rule 4", "inbox rule 3")
def test_every_command_of_the_guides_works_as_it_is_printed(demo: Demo) -> None:
    calls: dict[str, int] = {}
    for guide in ("/developers.md", "/connect.md"):
        for command in FENCE.findall(demo.get(guide).text):
            if command.startswith("curl"):
                answer = _run(demo.server, command)
                path = urlsplit(
                    next(word for word in shlex.split(command.replace("\\\n", " ")) if word.startswith("http"))
                ).path
                calls[path] = answer.status
                wanted = {"/agent-inbox": {202, 200}, "/agent-payments": {402}}.get(
                    "/".join(path.split("/")[:2]), {200}
                )
                assert answer.status in wanted, (command, answer.text)
                assert "error" not in answer.json() if path == "/mcp" else True
    assert calls.keys() >= {
        "/mcp",
        "/search.json",
        "/agent-actions/contextualize.json",
        "/agent-inbox/source",
        "/agent-inbox/correction",
        "/agent-inbox/usage-receipt",
        "/agent-payments/research-bundle-v2",
        "/agent-payments/prior-coverage",
    }


def test_the_bodies_of_the_compact_guide_are_accepted(demo: Demo) -> None:
    bodies = re.findall(r"`POST (\S+)`: .* Body: `(\{.*\})`", demo.get("/llms.txt").text)
    assert len(bodies) >= 5
    for url, body in bodies:
        path = demo.path(url)
        if "{" not in path:
            answer = demo.server.ask(
                path, "POST", body.encode(), content_type="application/json", **demo.server.client()
            )
            assert answer.status in ({402} if "payments" in path else {200, 202}), (path, answer.text)


@pytest.mark.requirement("GET /developers/")
@pytest.mark.parametrize("guide", ["/developers.md", "/llms.txt", "/llms-full.txt"])
def test_a_guide_names_every_tool_prompt_limit_and_status(demo: Demo, guide: str) -> None:
    text, offer = demo.get(guide).text, offered(OPERATIONS)
    assert all(each.name in text for each in (*offer.tools, *offer.prompts))
    for words in (
        "8 KiB",
        "30 ",
        "every Monday",
        "queued",
        "in_review",
        "credited",
        "/agent-inbox/submissions/{id}.json",
        "/agent-payments/",
    ):
        assert words in text, words


def test_what_is_off_is_named_by_no_guide(started: Demo) -> None:
    assert started.json("/agent-payments/payment-capabilities")["products"] == []
    for guide in GUIDES:
        text = started.get(guide).text
        if guide.startswith("/openapi"):  # the capabilities answer, and say that nothing is sold
            paths = [path for path in started.json(guide)["paths"] if "agent-payments" in path]
            assert paths == ["/agent-payments/payment-capabilities"]
            continue
        assert not re.search(r"USDC|WebSub|agent-payments|fixed price|paid-compute", text), guide


def test_the_first_sentence_of_the_compact_guide_ends(started: Demo) -> None:
    assert re.search(r"^> .*[.?!]\n", started.get("/llms.txt").text, re.MULTILINE)


def _examples(archive: Demo) -> Iterator[str]:
    """Every address that a derived document gives as an example or links to as one."""
    for path, item in archive.json("/openapi-route-catalog.json")["paths"].items():
        parameters = [
            parameter for parameter in next(iter(item.values())).get("parameters", ()) if parameter["in"] == "path"
        ]
        if "get" in item and parameters and all("example" in parameter for parameter in parameters):
            yield path.format_map({parameter["name"]: parameter["example"] for parameter in parameters})
    for url in re.findall(r"Example: (http\S+)", archive.get("/llms-full.txt").text):
        yield archive.path(url) if url.startswith(archive.base) else urlsplit(url).path
    for url in re.findall(
        r"\]\((http[^)]+)\)",
        archive.get("/agents.md").text + archive.get("/llms.txt").text + archive.get("/developers.md").text,
    ):
        yield urlsplit(url).path


@pytest.mark.requirement("openapi")
@pytest.mark.parametrize("name", ["demo", "started", "empty"])
def test_every_example_exists(name: str, request: pytest.FixtureRequest) -> None:
    archive: Demo = request.getfixturevalue(name)
    examples = {unquote(path) for path in _examples(archive)}
    assert len(examples) > 20
    wrong = {path: status for path in examples if (status := archive.get(path).status) not in {200, 402, 405}}
    assert not wrong
    assert not [
        path for path in examples if archive.get(path).status != 200 and not path.startswith("/agent-payments/")
    ]


def test_examples_of_rails_are_open_and_those_that_the_specification_names(demo: Demo) -> None:
    catalog = demo.json("/openapi.json")["paths"]
    open_here = {rail["slug"] for rail in demo.json("/agent-payments/payment-capabilities")["rails"]}
    for lane, token in (("volatile", "weth"), ("native", "bnb")):
        (slug,) = {
            parameter["example"]
            for path in catalog
            if f"/{lane}/" in path
            for parameter in catalog[path]["post"]["parameters"]
            if parameter["in"] == "path"
        }
        assert slug in open_here
        assert slug.endswith(token)


@pytest.mark.parametrize("name", ["demo", "started", "empty"])
def test_every_page_of_the_sitemap_has_a_markdown_twin(name: str, request: pytest.FixtureRequest) -> None:
    archive: Demo = request.getfixturevalue(name)
    shards = re.findall(r"<loc>([^<]+)</loc>", archive.get("/sitemap.xml").text)
    paths = [
        urlsplit(loc).path
        for shard in shards
        for loc in re.findall(r"<loc>([^<]+)</loc>", archive.get(urlsplit(shard).path).text)
    ]
    for path in paths:
        assert archive.get("/index.md" if path == "/" else f"{path[:-1]}.md", "HEAD").status == 200, path
    assert json.loads(archive.get("/posts.json").body)["schema_version"] == 1
