"""What a claim rests on, in the readers of others: citations, typed links, structured data, and kept copies."""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from ipaddress import ip_network
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import brotli
from judges import MANY, Verdict, verdict, without
from workshop import HOME, Workshop, programs, served_demo, serving

from citepress_objects.files import FileObjects
from citepress_sources.checking import Captures, SourceChecker, Wish
from citepress_sources.fetching import Fetcher
from citepress_sources.journal import Journal

sys.path.append(str(Path(__file__).parents[1]))

from support.origin import NETWORK, Reply, page, scripted_origin

READERS = ("extruct==0.18.0", "signposting==0.9.9")
REPLAY = ("pywb==2.10.0", "setuptools<81")
COLLECTION = "kept"
DAY = datetime(2026, 11, 21, tzinfo=UTC)
STATE = HOME / "read"
LIMITS = {"CITEPRESS_REST_LIMIT": str(MANY), "CITEPRESS_SEARCH_LIMIT": str(MANY)}
COPIES = {
    "/page": Reply(page()),
    "/picture": Reply(b"\x89PNG\r\n\x00\xff" * 40_000, fields={"Content-Type": "image/png", "X-Odd": "caf\xe9"}),
    "/packed": Reply(
        gzip.compress(page(title="Packed"), mtime=0),
        fields={"Content-Type": "text/html; charset=utf-8", "Content-Encoding": "gzip"},
    ),
    "/brotli": Reply(
        brotli.compress(page(title="Packed by others")),
        fields={"Content-Type": "text/html; charset=utf-8", "Content-Encoding": "br"},
    ),
    "/old?x=1&y=%C3%A9": Reply(
        "caf\xe9 of 1931".encode("latin-1"), fields={"Content-Type": "text/plain; charset=latin1"}
    ),
}


def citations(tools: Workshop) -> Iterator[Verdict]:
    """Every citation of the demo, in each form, as citation-js reads and prints it."""
    name = "citation-js"
    if missing := without(tools, "node", name):
        yield missing
        return
    with served_demo(STATE, **LIMITS) as url:
        done = tools.run(tools.node, HOME / "clients" / "citations.mjs", url, limit=300)
        yield _reported(name, "citations agree in CSL-JSON, BibTeX and RIS, and print", done)


def embedded(tools: Workshop) -> Iterator[Verdict]:
    """The structured data of every page of the sitemap, and the typed links of every record."""
    bin_ = programs("readers", *READERS, why=tools.why)
    for name in ("extruct", "signposting"):
        if missing := without(tools, "readers", name):
            yield missing
    if not bin_:
        return
    with served_demo(STATE, **LIMITS) as url:
        pages = {address: _is_cited(address) for address in _pages(url)}
        records = [address for address, is_cited in pages.items() if is_cited]
        for name, client, addresses, figure in (
            ("extruct", "structured_data.py", pages, "pages have structured data that reads"),
            ("signposting", "signposts.py", records, "records say the same in headers, head and linkset"),
        ):
            command = [bin_ / "python", "-W", "ignore", HOME / "clients" / client]
            yield _reported(name, figure, tools.run(*command, limit=600, entered=json.dumps(addresses)))


def _reported(name: str, figure: str, done: subprocess.CompletedProcess[str]) -> Verdict:
    """What one of our clients found in what it read."""
    (HOME / "reports" / f"{name}.log").write_text(done.stdout + done.stderr, "utf-8")
    if done.returncode:
        return verdict(name, good=False, figure=(done.stderr.strip().splitlines() or ["no reason"])[-1][:200])
    report = json.loads(done.stdout)
    faults = report["faults"]
    sentence = f"{report['count']} {figure}" if not faults else f"{len(faults)} faults, the first: {faults[0][:300]}"
    return verdict(name, good=report["count"] > 100 and not faults, figure=sentence)


def _pages(url: str) -> list[str]:
    """The address of every page in the sitemaps."""
    addresses, waiting = [], [f"{url}/sitemap.xml"]
    while waiting:
        with urlopen(waiting.pop(), timeout=60) as answer:
            text = answer.read().decode()
        places = re.findall(r"<loc>([^<]+)</loc>", text)
        if "<sitemapindex" in text:
            waiting += places
        else:
            addresses += [place for place in places if place.endswith("/")]
    return addresses


def _is_cited(address: str) -> bool:
    """Whether a page names a linkset of its own."""
    with urlopen(Request(address, method="HEAD", headers={"Accept": "text/html"}), timeout=60) as answer:
        return 'rel="linkset"' in answer.headers.get("Link", "")


def replay(tools: Workshop) -> Iterator[Verdict]:
    """Copies of sources, judged by ``warcio check`` and replayed by pywb byte by byte."""
    bin_ = programs("pywb", *REPLAY, why=tools.why)
    if missing := without(tools, "pywb", "pywb"):
        yield missing
        return
    with tempfile.TemporaryDirectory(prefix="citepress-replay-") as name:
        folder = Path(name)
        files, addresses = _captured(folder / "state")
        checked = tools.run(bin_ / "warcio", "check", *files)
        yield verdict("warcio check", checked.returncode == 0, f"{len(files)} files of {len(COPIES)} sources")
        for command in (["init", COLLECTION], ["add", COLLECTION, *map(str, files)]):
            subprocess.run([bin_ / "wb-manager", *command], cwd=folder, capture_output=True, check=True)
        with serving(lambda port: [str(bin_ / "wayback"), "-b", "127.0.0.1", "-p", str(port)], {}, folder) as url:
            moment = DAY.strftime("%Y%m%d%H%M%S")
            faults = [
                fault
                for path, address in addresses.items()
                if (fault := _replayed(f"{url}/{COLLECTION}/{moment}id_/{address}", COPIES[path]))
            ]
    figure = f"{len(addresses)} copies replayed as they were sent" if not faults else "; ".join(faults)
    yield verdict("pywb", good=not faults and len(files) == len(COPIES), figure=figure)


def _captured(state: Path) -> tuple[list[Path], dict[str, str]]:
    """Copies of a site's pages: the files, and the address of each path."""
    state.mkdir()
    with scripted_origin() as site:
        site.pages |= COPIES
        addresses = {path: site.url + path for path in COPIES}
        captures = Captures(FileObjects(state, str(state)), Journal(state))
        fetcher = Fetcher(networks=(ip_network(NETWORK),))
        checker = SourceChecker(captures, fetcher, lambda: DAY, "interop")
        checks = list(checker.check_all([Wish(address, address, anew=False) for address in addresses.values()]))
    assert [check.status for check in checks] == ["unchanged"] * len(checks), checks
    return sorted((state / "captures").iterdir()), addresses


def _replayed(url: str, sent: Reply) -> str:
    """What is wrong with a copy as it is replayed; empty if nothing is."""
    try:
        with urlopen(Request(url, headers={"Accept-Encoding": "gzip, br"}), timeout=60) as answer:
            body, fields = answer.read(), answer.headers
    except HTTPError as error:
        return f"{url} answers {error.code}"
    if fields.get("Content-Encoding") == "gzip" and sent.fields.get("Content-Encoding") != "gzip":
        body = gzip.decompress(body)
    if body != sent.body:
        return f"{url}: {len(body)} bytes, {len(sent.body)} were sent"
    if fields["Content-Type"] != sent.fields["Content-Type"]:
        return f"{url}: {fields['Content-Type']}"
    return (
        "" if fields["Memento-Datetime"] == "Sat, 21 Nov 2026 00:00:00 GMT" else f"{url}: {fields['Memento-Datetime']}"
    )


PARTS: dict[str, Callable[[Workshop], Iterator[Verdict]]] = {
    "citations": citations,
    "embedded": embedded,
    "replay": replay,
}
