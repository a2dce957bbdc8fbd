"""A server with the names that the conformance suite asks for, on our transport: ``python fixtures.py STATE PORT``."""

import base64
import hashlib
import hmac
import json
import re
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from citepress.contract.limits import Limit  # noqa: E402
from citepress.stores.local.counters import LocalCounters  # noqa: E402
from citepress.web.asgi import Asgi  # noqa: E402
from citepress.web.serve import serve  # noqa: E402
from citepress.web.site import SiteApp  # noqa: E402
from citepress_mcp.endpoint import Endpoint  # noqa: E402
from citepress_mcp.jsonrpc import INVALID_PARAMS, RESOURCE_NOT_FOUND, RpcError  # noqa: E402
from citepress_mcp.request_context import RequestContext  # noqa: E402
from citepress_mcp.transport import HostPolicy, Transport  # noqa: E402
from citepress_mcp.versions import META_CAPABILITIES, MODERN, cut_listed, cut_tool  # noqa: E402
from support.mcp_endpoint import BOTH, offer, operation_context, printed  # noqa: E402

Params = Mapping[str, Any]
Answer = dict[str, Any]
MISSING_CAPABILITY = -32021
KEY = b"the fixture's own key"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = base64.b64encode(
    b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x44\xac\0\0\x88\x58\1\0\2\0\x10\0data\0\0\0\0"
).decode()
NO_ARGUMENTS = {"type": "object", "properties": {}, "additionalProperties": False}
SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def text(words: str) -> Answer:
    return {"content": [{"type": "text", "text": words}], "isError": False}


def said(words: str) -> Callable[[Params], Answer]:
    return lambda _params: text(words)


def shown(*blocks: Answer) -> Callable[[Params], Answer]:
    return lambda _params: {"content": list(blocks), "isError": False}


def image() -> Answer:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def resource(uri: str, kind: str, words: str) -> Answer:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


def capabilities(params: Params) -> Mapping[str, Any]:
    return (params.get("_meta") or {}).get(META_CAPABILITIES) or {}


def needs_sampling(params: Params) -> Answer:
    if "sampling" not in capabilities(params):
        raise RpcError(MISSING_CAPABILITY, "This tool needs sampling", {"requiredCapabilities": {"sampling": {}}})
    return text("The client can sample.")


def elicit(message: str, name: str, kind: str = "string") -> Answer:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def sample(words: str, tokens: int) -> Answer:
    message = {"role": "user", "content": {"type": "text", "text": words}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


ROOTS: Answer = {"method": "roots/list", "params": {}}


def required(requests: Mapping[str, Answer], state: str = "") -> Answer:
    return {
        "resultType": "input_required",
        "inputRequests": dict(requests),
        **({"requestState": signed(state)} if state else {}),
    }


def signed(state: str) -> str:
    return f"{state}.{hmac.new(KEY, state.encode(), hashlib.sha256).hexdigest()}"


def state_of(params: Params) -> str:
    """The state that a client brought back; an altered one is refused."""
    carried_state = params.get("requestState")
    if carried_state is None:
        return ""
    state = str(carried_state).rpartition(".")[0]
    if not hmac.compare_digest(signed(state), str(carried_state)):
        raise RpcError(INVALID_PARAMS, "requestState was altered")
    return state


def content(params: Params, key: str, name: str) -> Any:
    """A value that the user gave; ``None`` when it is not there."""
    response = (params.get("inputResponses") or {}).get(key)
    return (
        response.get("content", {}).get(name)
        if isinstance(response, dict) and isinstance(response.get("content"), dict)
        else None
    )


def asks(requests: Mapping[str, Answer], done: str, state: str = "") -> Callable[[Params], Answer]:
    """A tool that asks for inputs until all are there."""

    def run(params: Params) -> Answer:
        held = state_of(params)
        responses = params.get("inputResponses") or {}
        if set(requests) <= set(responses) and held == state:
            return text(f"{done} {json.dumps(responses)}")
        return required(requests, state)

    return run


def greets(params: Params) -> Answer:
    name = content(params, "user_name", "name")
    return (
        text(f"Hello, {name}!")
        if isinstance(name, str)
        else required({"user_name": elicit("What is your name?", "name")})
    )


def in_rounds(params: Params) -> Answer:
    held = state_of(params)
    if held == "one" and content(params, "step1", "name"):
        return required({"step2": elicit("Step 2: What is your favorite color?", "color")}, "two")
    if held == "two" and content(params, "step2", "color"):
        return text("All steps are done.")
    return required({"step1": elicit("Step 1: What is your name?", "name")}, "one")


def by_capabilities(params: Params) -> Answer:
    by_capability = {
        "sampling": sample("Say something.", 20),
        "elicitation": elicit("What is your name?", "name"),
        "roots": ROOTS,
    }
    requests = {f"by_{name}": request for name, request in by_capability.items() if name in capabilities(params)}
    return asks(requests, "Got")(params) if requests else text("The client declared nothing to ask for.")


TOOLS: Mapping[str, Callable[[Params], Answer]] = {
    "test_simple_text": said("This is a simple text response for testing."),
    "test_image_content": shown(image()),
    "test_audio_content": shown({"type": "audio", "data": WAV, "mimeType": "audio/wav"}),
    "test_embedded_resource": shown(
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": shown(
        {"type": "text", "text": "Multiple content types test:"},
        image(),
        resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ),
    "test_error_handling": lambda _params: {
        **text("This tool intentionally returns an error for testing"),
        "isError": True,
    },
    "test_tool_with_progress": said("Done, without telling how far."),
    "test_missing_capability": needs_sampling,
    "test_streaming_elicitation": said("Nothing was asked."),
    "test_logging_tool": said("Nothing was logged."),
    "json_schema_2020_12_tool": said("The arguments were taken as they are."),
    "test_input_required_result_elicitation": greets,
    "test_input_required_result_sampling": asks(
        {"capital_question": sample("What is the capital of France?", 100)}, "Answer:"
    ),
    "test_input_required_result_list_roots": asks({"client_roots": ROOTS}, "Roots:"),
    "test_input_required_result_request_state": asks(
        {"confirm": elicit("Please confirm", "ok", "boolean")}, "state-ok", "confirming"
    ),
    "test_input_required_result_multiple_inputs": asks(
        {
            "user_name": elicit("What is your name?", "name"),
            "greeting": sample("Generate a greeting", 50),
            "client_roots": ROOTS,
        },
        "Got",
        "several",
    ),
    "test_input_required_result_multi_round": in_rounds,
    "test_input_required_result_capabilities": by_capabilities,
    "test_input_required_result_tampered_state": asks(
        {"confirm": elicit("Please confirm", "ok", "boolean")}, "Done", "guarded"
    ),
}
RESOURCES: Mapping[str, Answer] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": PNG},
}
TEMPLATE = "test://template/{id}/data"
PROMPTS: Mapping[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


def listed(key: str, items: list[Answer]) -> Callable[[Params, RequestContext], Answer]:
    """A list method."""

    def run(_params: Params, frame: RequestContext) -> Answer:
        cut = cut_tool if key == "tools" else cut_listed
        hints = {"ttlMs": 0, "cacheScope": "public"} if frame.revision == MODERN else {}
        return {key: [cut(item, frame.revision) for item in items], **hints}

    return run


def call(params: Params, _frame: RequestContext) -> Answer:
    if (tool := TOOLS.get(str(params.get("name")))) is None:
        raise RpcError(INVALID_PARAMS, "There is no such tool")
    return tool(params)


def read(params: Params, frame: RequestContext) -> Answer:
    uri = str(params.get("uri"))
    resource = RESOURCES.get(uri)
    if match := re.fullmatch(r"test://template/([^/]+)/data", uri):
        resource = {
            "mimeType": "application/json",
            "text": json.dumps({"id": match[1], "templateTest": True, "data": f"Data for ID: {match[1]}"}),
        }
    if resource is None:
        raise RpcError(
            INVALID_PARAMS if frame.revision == MODERN else RESOURCE_NOT_FOUND,
            "There is no such resource",
            {"uri": uri},
        )
    hints = {"ttlMs": 0, "cacheScope": "public"} if frame.revision == MODERN else {}
    return {"contents": [{"uri": uri, **resource}], **hints}


def prompt(params: Params, _frame: RequestContext) -> Answer:
    name, values = str(params.get("name")), params.get("arguments") or {}
    if name not in PROMPTS or not all(isinstance(values.get(argument), str) for argument in PROMPTS[name]):
        raise RpcError(INVALID_PARAMS, "There is no such prompt, or an argument is missing")
    if name == "test_input_required_result_prompt":
        context = content(params, "user_context", "context")
        if not isinstance(context, str):
            return required({"user_context": elicit("What context should the prompt use?", "context")})
        return messages({"type": "text", "text": f"Use this context: {context}"})
    return {
        "test_simple_prompt": lambda: messages({"type": "text", "text": "This is a simple prompt for testing."}),
        "test_prompt_with_arguments": lambda: messages(
            {"type": "text", "text": f"Prompt with arguments: arg1='{values['arg1']}', arg2='{values['arg2']}'"}
        ),
        "test_prompt_with_embedded_resource": lambda: messages(
            resource(values["resourceUri"], "text/plain", "Embedded resource content for testing."),
            {"type": "text", "text": "Please process the embedded resource above."},
        ),
        "test_prompt_with_image": lambda: messages(
            image(), {"type": "text", "text": "Please analyze the image above."}
        ),
    }[name]()


def messages(*blocks: Answer) -> Answer:
    return {"messages": [{"role": "user", "content": block} for block in blocks]}


def complete(_params: Params, _frame: RequestContext) -> Answer:
    return {"completion": {"values": [], "total": 0, "hasMore": False}}


def joined(endpoint: Endpoint) -> Endpoint:
    """The fixtures in place of the archive's own names."""
    schemas = {"json_schema_2020_12_tool": SCHEMA_2020}
    tools = [
        {"name": name, "description": f"Fixture {name}.", "inputSchema": schemas.get(name, NO_ARGUMENTS)}
        for name in TOOLS
    ]
    resources = [
        {"uri": uri, "name": uri.rpartition("/")[2], "mimeType": content["mimeType"]}
        for uri, content in RESOURCES.items()
    ]
    prompts = [
        {
            "name": name,
            "description": f"Fixture {name}.",
            "arguments": [{"name": argument, "description": argument, "required": True} for argument in arguments],
        }
        for name, arguments in PROMPTS.items()
    ]
    for table in (endpoint.modern, endpoint.handshake):
        table |= {
            "tools/list": listed("tools", tools),
            "resources/list": listed("resources", resources),
            "prompts/list": listed("prompts", prompts),
            "resources/templates/list": listed(
                "resourceTemplates", [{"uriTemplate": TEMPLATE, "name": "template", "mimeType": "application/json"}]
            ),
            "tools/call": call,
            "resources/read": read,
            "prompts/get": prompt,
            "completion/complete": complete,
        }
    return endpoint


def load(state: str, port: int) -> Asgi:
    """The application of one worker."""
    here = operation_context(Path(state))
    counters, base = LocalCounters(), f"http://127.0.0.1:{port}"
    site_app = SiteApp(here.edition, counters, here.edition.fields, limit=Limit("rest", 10**6, 60))
    endpoint = joined(Endpoint(offer(), lambda: here))
    transport = Transport(endpoint, counters, Limit("mcp", 10**6, 60), site_app.client, HostPolicy(base), base)
    site_app.actions = dict.fromkeys(BOTH, transport)
    return Asgi(site_app)


if __name__ == "__main__":
    where, at = sys.argv[1], int(sys.argv[2])
    printed(Path(where))
    import fixtures  # workers find ``load`` in a module by its name

    serve(partial(fixtures.load, where, at), port=at)
