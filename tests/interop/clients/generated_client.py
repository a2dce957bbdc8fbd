"""Parses each JSON document of an archive with a client that openapi-generator made: ``generated_client.py URL``."""

import json
import sys
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from generated_archive import models
from generated_archive.api_client import ApiClient

base = sys.argv[1]
with urlopen(f"{base}/openapi.json") as answer:
    contract = json.load(answer)
client, parsed, faults = ApiClient(), 0, []
for path, item in contract["paths"].items():
    operation = item.get("get")
    if not operation:
        continue
    examples = {(p["in"], p["name"]): p["example"] for p in operation["parameters"] if "example" in p}
    values = {name: quote(str(value), safe="/") for (place, name), value in examples.items() if place == "path"}
    if not all(p["name"] in values for p in operation["parameters"] if p["in"] == "path"):
        continue
    media, content = next(iter(operation["responses"]["200"]["content"].items()))
    shape = content["schema"].get("$ref", "").rpartition("/")[2]
    if not shape:
        continue
    query = {name: value for (place, name), value in examples.items() if place == "query"}
    address = f"{base}{path.format_map(values)}" + (f"?{urlencode(query)}" if query else "")
    try:
        with urlopen(Request(address, headers={"accept": media})) as answer:
            # Documents whose form another standard fixes have no model.
            client.deserialize(answer.read().decode(), shape if hasattr(models, shape) else "object", media)
        parsed += 1
    except Exception as error:  # noqa: BLE001  (whatever the client raises is a fault of the contract)
        faults.append(f"{path}: {str(error)[:200]}")
print(json.dumps({"parsed": parsed, "faults": faults}))
