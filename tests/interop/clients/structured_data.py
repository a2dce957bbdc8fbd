"""Read the structured data of pages with extruct, and print what it could not read or did not find."""

import json
import sys
import urllib.request

import extruct

SYNTAXES = ["json-ld", "opengraph", "dublincore", "microdata"]


def faults_of(url: str, is_cited: bool) -> list[str]:
    """What is wrong with the data in one page; one that can be cited has Dublin Core too."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        data = extruct.extract(answer.read().decode(), base_url=url, syntaxes=SYNTAXES, errors="strict")
    faults = []
    kinds = [item.get("@type") for item in data["json-ld"]]
    if not kinds or None in kinds:
        faults.append(f"JSON-LD without a type: {kinds}")
    addresses = {item.get("url") for item in data["json-ld"]} - {None}
    cards = [dict(card["properties"]) for card in data["opengraph"]]
    if len(cards) != 1 or not {"og:title", "og:url", "og:type", "og:description"} <= set(cards[0]):
        faults.append(f"Open Graph: {cards}")
    elif addresses and cards[0]["og:url"] not in addresses:
        faults.append(f"JSON-LD is about {sorted(addresses)}, Open Graph about {cards[0]['og:url']}")
    terms = {element["name"].lower() for part in data["dublincore"] for element in part["elements"]}
    if is_cited and not {"dc.title", "dc.identifier", "dc.creator", "dc.date"} <= terms:
        faults.append(f"Dublin Core: {sorted(terms)}")
    return [f"{url}: {fault}" for fault in faults]


pages = json.load(sys.stdin)
print(json.dumps({"count": len(pages), "faults": [fault for page in pages.items() for fault in faults_of(*page)]}))
