"""A client generated from the contract of the running demo parses every JSON answer, and loses nothing of it."""

import importlib
import json
import pkgutil
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from types import ModuleType
from typing import Any
from urllib.parse import quote, urlencode

import httpx
import pytest

from support.demo import Demo
from support.mcp_endpoint import fields, message

GENERATOR = "openapi_python_client"
PACKAGE = "generated_archive_client"
POSTS = {
    "/agent-inbox/source": {"url": "https://new.example/client", "reason": "It measures what the record estimates."},
    "/mcp": message("tools/list", {}),
    "/.well-known/mcp": message("tools/call", {"name": "search_archive", "arguments": {"query": "agents"}}),
    "/mcp/chatgpt": message("nothing/such", {}),
    "/agent-payments/prior-coverage": {"topic": "agent protocols", "freshness_days": 90},
}
"""A body for each kind of answer to POST."""


@pytest.fixture(scope="module")
def contract(demo: Demo) -> Mapping[str, Any]:
    document: Mapping[str, Any] = demo.json("/openapi.json")
    return document


@pytest.fixture(scope="module")
def operations(
    contract: Mapping[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, ModuleType]]:
    """The module of each operation, by the operation's id."""
    pytest.importorskip(GENERATOR)
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(contract))
    (folder / "config.yml").write_text("post_hooks: []\n")
    options = ["--meta", "none", "--output-path", PACKAGE, "--config", "config.yml", "--fail-on-warning"]
    command = [sys.executable, "-m", GENERATOR, "generate", "--path", "openapi.json", *options]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    sys.path.insert(0, str(folder))
    try:
        package = importlib.import_module(f"{PACKAGE}.api")
        modules = pkgutil.walk_packages(package.__path__, f"{PACKAGE}.api.")
        yield {entry.name.rpartition(".")[2]: importlib.import_module(entry.name) for entry in modules}
    finally:
        sys.path.remove(str(folder))


def parser(operations: Mapping[str, ModuleType], operation_id: str) -> Callable[[int, bytes, str], Any]:
    """Parses an answer as the generated client does, which raises for a status that the contract does not have."""
    client = importlib.import_module(f"{PACKAGE}.client").Client("http://archive.test", raise_on_unexpected_status=True)
    module = operations[operation_id]

    def parse(status: int, body: bytes, media: str) -> Any:
        response = httpx.Response(status, content=body, headers={"content-type": media})
        return module._parse_response(client=client, response=response)  # noqa: SLF001

    return parse


def written(value: Any) -> Any:
    """What the client would send of what it has read."""
    return [written(item) for item in value] if isinstance(value, list) else value.to_dict()


def plain(value: Any) -> Any:
    """The JSON value with the offset of moments written as we do: the client writes it in digits."""
    return json.loads(re.sub(r"\.0+(?=Z)", "", json.dumps(value).replace("+00:00", "Z")))


def addresses(contract: Mapping[str, Any], method: str) -> Iterator[tuple[str, str, str]]:
    """Each operation's id, path template and example address, where it has one."""
    for path, item in contract["paths"].items():
        if operation := item.get(method):
            examples = {(p["in"], p["name"]): p["example"] for p in operation["parameters"] if "example" in p}
            values = {name: quote(str(value), safe="/") for (place, name), value in examples.items() if place == "path"}
            if not all(("path", p["name"]) in examples for p in operation["parameters"] if p["in"] == "path"):
                continue
            address = path.format_map(values)
            query = {name: value for (place, name), value in examples.items() if place == "query"}
            yield operation["operationId"], path, f"{address}?{urlencode(query, doseq=True)}" if query else address


def test_every_document_is_parsed_whole(
    demo: Demo, contract: Mapping[str, Any], operations: Mapping[str, ModuleType]
) -> None:
    parsed = 0
    for operation_id, path, address in addresses(contract, "get"):
        answer = demo.get(address, accept="application/json")
        value = parser(operations, operation_id)(answer.status, answer.body, answer.type)
        assert value is not None, (path, answer.status)
        assert plain(written(value)) == plain(answer.json()), path
        parsed += answer.status == 200
    assert parsed >= 100


def test_answers_to_posts_are_parsed(
    demo: Demo, contract: Mapping[str, Any], operations: Mapping[str, ModuleType]
) -> None:
    ids = {path: operation_id for operation_id, path, _ in addresses(contract, "post")}
    for path, body in POSTS.items():
        for sent in (body, {}):
            answer = demo.server.ask(path, "POST", json.dumps(sent).encode(), **fields("x"), **demo.server.client())
            value = parser(operations, ids[path])(answer.status, answer.body, answer.type)
            assert value is not None, (path, answer.status)
            assert plain(written(value)) == plain(answer.json()), path


@pytest.mark.parametrize("constant", [True, False])
def test_no_schema_has_a_constant_boolean(contract: Mapping[str, Any], constant: bool) -> None:
    assert f'"const": {json.dumps(constant)}' not in json.dumps(contract)


def test_the_reports_say_in_words_what_is_always_so(demo: Demo) -> None:
    schema = demo.json("/schemas/MachineConsumptionReport.json")
    assert '"description": "No address is stored. Always false."' in json.dumps(schema)
