"""Follow the typed links of pages with the signposting library: headers, head and linkset have to agree."""

import json
import sys

from signposting import find_signposting_html, find_signposting_http, find_signposting_linkset


def targets_of(links) -> dict[str, list[str]]:
    """The targets of each relation."""
    relations = ("author", "license", "describedby", "cite-as", "item", "type")
    return {relation: sorted(str(link.target) for link in links if str(link.rel) == relation) for relation in relations}


def faults_of(url: str) -> list[str]:
    """What the three places say differently about one page."""
    headers, head = targets_of(find_signposting_http(url)), targets_of(find_signposting_html(url))
    (linkset,) = find_signposting_http(url).linksets
    whole = targets_of(find_signposting_linkset(str(linkset.target)).for_context(url))
    faults = [f"no {name}" for name in ("author", "cite-as", "describedby", "type") if len(headers[name]) < 1]
    faults += [f"headers {headers}, linkset {whole}"] * (headers != whole)
    faults += [
        f"{name}: head {targets}, headers {headers[name]}"
        for name, targets in head.items()
        if not set(targets) <= set(headers[name])
    ]
    return [f"{url}: {fault}" for fault in faults]


urls = json.load(sys.stdin)
print(json.dumps({"count": len(urls), "faults": [fault for url in urls for fault in faults_of(url)]}))
