"""The judges: what each is asked, how its answer is read, and the bar it has to meet."""

import json
import subprocess
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from site_copy import Copy, serving
from toolbox import HERE, ROOT, Toolbox

MOST_SHOWN = 6
SHOTS = {
    "home": "/",
    "record": "/posts/{slug}/",
    "signal": "/signals/{slug}/",
    "topic": "/topics/{slug}/",
    "agents": "/agents/",
    "collection": "/patterns/",
    "dataset": "/datasets/{",
}
"""What is photographed: names of pictures by the beginning of a route family."""
A14Y = 95
"""The least score of a14y."""
TITLE_TOP, AGENTS_SCREENS, TEXT_SCREENS = 200, 12, 1.5
"""Pixels above a title on a phone, screens that the guide for agents takes, and those above the text of a record."""
COUNTED = ("/machine-consumption/",)
"""Pages that show what was counted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said."""

    word: str
    """``ok``, ``MISSED`` or ``skipped``."""
    figure: str
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> list[str]:
        """What a missed bar is made of: the first notes, and how many are left; other notes stay in the report."""
        if self.word != "MISSED":
            return []
        left = len(self.notes) - MOST_SHOWN
        return [*self.notes[:MOST_SHOWN], *([f"... and {left} more in the report"] if left > 0 else [])]


class Unusable(Exception):  # noqa: N818
    """A tool gave no answer that can be read; the sentence says what it printed."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge: its needs among the tools, its bar in words, and how to ask it."""

    name: str
    bar: str
    needs: tuple[str, ...]
    ask: Callable[[Toolbox, Copy], Verdict]

    def judge(self, tools: Toolbox, site: Copy) -> Verdict:
        """Ask the judge, unless a need is missing; keep its notes in a report."""
        if missing := [tools.why[need] for need in self.needs if need in tools.why]:
            return Verdict("skipped", "; ".join(missing))
        try:
            verdict = self.ask(tools, site)
        except (Unusable, subprocess.TimeoutExpired) as error:
            verdict = Verdict("MISSED", "gave no answer", (str(error),))
        (tools.home / "reports" / f"{self.name}.txt").write_text(
            "\n".join((verdict.figure, *verdict.notes, "")), "utf-8"
        )
        return verdict


def _verdict(figure: str, notes: Iterable[str], *, met: bool | None = None) -> Verdict:
    """Met when there is nothing to note, unless told."""
    lines = tuple(notes)
    return Verdict("ok" if (not lines if met is None else met) else "MISSED", figure, lines)


def _read(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON document that a tool printed. Raises ``Unusable``."""
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Unusable(f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-800:]}") from None


def _vnu(tools: Toolbox, site: Copy) -> Verdict:
    """Every saved page, and the stylesheet and pictures of the theme."""
    command = (
        tools.java,
        "-jar",
        tools.package("vnu-jar") / "build/dist/vnu.jar",
        "--also-check-css",
        "--also-check-svg",
    )
    files = (*site.html.values(), *site.theme.values())
    done = tools.run(*command, "--format", "json", "--stdout", "--exit-zero-always", *files)
    messages = _read(done)["messages"]
    errors = [message for message in messages if message["type"] != "info"]
    notes = [f"{Path(error.get('url', '')).name}:{error.get('lastLine', 0)} {error['message']}" for error in errors]
    warnings = [
        f"(warning) {Path(message.get('url', '')).name}: {message['message']}"
        for message in messages
        if message["type"] == "info"
    ]
    return _verdict(
        f"{len(errors)} errors, {len(warnings)} warnings on {len(site.html)} pages and {len(site.theme)} files of the"
        " theme",
        [*notes, *warnings],
        met=not errors,
    )


def _axe(tools: Toolbox, site: Copy) -> Verdict:
    return _axe_at(tools, site.base, _one_each(site))


def _counts(tools: Toolbox, _site: Copy) -> Verdict:
    """The pages that show what was counted, once there is something; the served archive has seen nobody yet."""
    with serving(counted=True) as base:
        return _axe_at(tools, base, COUNTED)


def _axe_at(tools: Toolbox, base: str, paths: Iterable[str]) -> Verdict:
    answer = _read(tools.drive("axe.mjs", base, *paths))
    notes = [
        f"{violation['path']} {violation['width']}px {violation['scheme']} {violation['rule']}: {violation['help']} |"
        f" {'; '.join(violation['nodes'][:2])}"
        for violation in answer["violations"]
    ]
    notes += [
        f"{finding['path']} {finding['width']}px {finding['scheme']} scrolls sideways by {finding['pixels']}px"
        for finding in answer["scrolling"]
    ]
    figure = (
        f"{len(answer['violations'])} violations, {len(answer['scrolling'])} pages that scroll sideways in"
        f" {answer['visits']} visits"
    )
    unsure = [
        f"(unsure) {finding['path']} {finding['width']}px {finding['scheme']} {finding['rule']}:"
        f" {'; '.join(finding['nodes'][:1])}"
        for finding in answer["unsure"]
    ]
    return _verdict(figure, [*notes, *unsure], met=not notes)


def _phone(tools: Toolbox, site: Copy) -> Verdict:
    """Where a phone shows the title, the nugget and the text of every page, and how long the guide for agents is."""
    start = tools.home / "reports/phone-start.txt"
    start.write_text("\n".join(site.html), "utf-8")
    answer = _read(tools.drive("phone.mjs", site.base, start))
    screen, pages = answer["screen"]["height"], answer["pages"]
    notes = [f"{page['path']} title at {page['title']}px" for page in pages if page["title"] >= TITLE_TOP]
    notes += [f"{page['path']} nugget ends at {page['nugget']}px" for page in pages if page["nugget"] > screen]
    notes += [f"{page['path']} text at {page['text']}px" for page in pages if page["text"] > TEXT_SCREENS * screen]
    notes += [
        f"{page['path']} search is off the screen" for page in pages if page["search"] > answer["screen"]["width"]
    ]
    notes += [f"{page['path']} scrolls sideways by {page['over']}px" for page in pages if page["over"] > 0]
    (agents,) = (page["height"] / screen for page in pages if page["path"] == "/agents/")
    notes += [f"/agents/ is {agents:.1f} screens long"] if agents > AGENTS_SCREENS else []
    lowest, ends, text = (max(page[name] for page in pages) for name in ("title", "nugget", "text"))
    return _verdict(
        f"title at {lowest}px at most, nugget ends at {ends}px at most of {screen}, text begins at {text}px at most,"
        f" /agents/ is {agents:.1f} screens long; {len(pages)} pages",
        notes,
    )


def _prints(tools: Toolbox, site: Copy) -> Verdict:
    """Whether the PDF of a page of each sort has the page's title, its numbers and its sources, with nothing cut."""
    folder = tools.home / "prints"
    folder.mkdir(exist_ok=True)
    start = tools.home / "reports/prints-start.txt"
    start.write_text("\n".join(_one_each(site)), "utf-8")
    pages = _read(tools.drive("prints.mjs", site.base, folder, start))["pages"]
    notes = [f"{page['path']} is cut: {text}" for page in pages for text in page["cut"]]
    notes += [f"{page['path']} lacks {text}" for page in pages for text in page["missing"]]
    return _verdict(
        f"{len(notes)} faults on {sum(page['sheets'] for page in pages)} sheets of {len(pages)} pages", notes
    )


def _one_each(site: Copy) -> list[str]:
    return sorted(set(site.families.values()))


def _family(site: Copy, beginning: str) -> str:
    """The page of the first family that begins so. Raises ``Unusable``."""
    path = next((path for family, path in sorted(site.families.items()) if family.startswith(beginning)), None)
    if path is None:
        raise Unusable(f"no page of the family {beginning}")
    return path


def _lighthouse(tools: Toolbox, site: Copy) -> Verdict:
    """Pages of each sort, and the one that shows what was counted; performance is the median of five loads."""
    paths = ["/", _family(site, "/posts/{"), _family(site, "/topics/{"), "/posts/", "/search/"]
    pages = _read(tools.drive("lighthouse.mjs", site.base, *paths))["pages"]
    with serving(counted=True) as base:
        pages += _read(tools.drive("lighthouse.mjs", base, *COUNTED))["pages"]
    notes = [
        f"{page['path']} {audit['category']} {audit['id']} {audit['score']}: {audit['title']}"
        f" {json.dumps(audit.get('items') or audit.get('explanation') or '')[:600]}"
        for page in pages
        for audit in page["lost"]
    ]
    notes += [f"{page['path']} {page['error']}" for page in pages if page.get("error")]
    lowest = {name: min(page["scores"][name] or 0 for page in pages) for name in pages[0]["scores"]}
    figure = ", ".join(f"{name} {score:.2f}" for name, score in lowest.items()) + f" (lowest of {len(pages)} pages)"
    return _verdict(figure, notes, met=all(score == 1 for score in lowest.values()))


def _redocly(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("@redocly/cli") / "bin/cli.js"
    options = ("--config", tools.home / "rules/redocly.yaml", "--format", "json", "--max-problems", "1000")
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    answers = [_read(tools.run(tools.node, cli, "lint", file, *options, **quiet)) for file in site.openapi.values()]
    notes = [
        f"{problem['ruleId']} {_place(problem)}: {problem['message']}"
        for answer in answers
        for problem in answer["problems"]
    ]
    return _verdict(f"{len(notes)} problems in {len(answers)} documents", notes)


def _place(problem: dict[str, Any]) -> str:
    place = problem["location"][0]
    return f"{Path(place['source']['ref']).name}{place.get('pointer', '')}"


def _spectral(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("@stoplight/spectral-cli") / "dist/index.js"
    command = (tools.node, cli, "lint", "--ruleset", tools.home / "rules/spectral.yaml", "--format", "json", "--quiet")
    problems = _read(tools.run(*command, *site.openapi.values()))
    notes = [
        f"{problem['code']} {Path(problem['source']).name} {'/'.join(map(str, problem['path']))}: {problem['message']}"
        for problem in problems
    ]
    return _verdict(f"{len(problems)} problems in {len(site.openapi)} documents", notes)


def _feeds(tools: Toolbox, site: Copy) -> Verdict:
    feeds = _read(tools.drive("feeds.mjs", *site.feeds.values()))["feeds"]
    notes = [f"{Path(feed['file']).name}: {feed['fault']}" for feed in feeds if feed["fault"]]
    if not feeds:
        notes.append("no page announces a feed")
    return _verdict(
        f"{len(notes)} faults in {len(feeds)} feeds, {sum(feed['entries'] for feed in feeds)} entries", notes
    )


def _sitemaps(tools: Toolbox, site: Copy) -> Verdict:
    """The urlset schema comes with the npm package ``sitemap``; the index schema is ours and uses its types."""
    schema = tools.home / "rules"
    (schema / "sitemap.xsd").write_bytes((tools.package("sitemap") / "schema/sitemap.xsd").read_bytes())
    notes = []
    for path, file in site.sitemaps.items():
        kind = "siteindex.xsd" if b"<sitemapindex" in file.read_bytes() else "sitemap.xsd"
        done = tools.run(tools.xmllint, "--nonet", "--noout", "--schema", schema / kind, file)
        if done.returncode:
            notes.append(f"{path}: {done.stderr.strip()[:400]}")
    return _verdict(f"{len(notes)} invalid of {len(site.sitemaps)} sitemaps", notes)


def _links(tools: Toolbox, site: Copy) -> Verdict:
    start = tools.home / "reports/links-start.txt"
    start.write_text("\n".join(site.links), "utf-8")
    answer = _read(tools.drive("links.mjs", site.base, start))
    notes = sorted(
        {
            f"{link['status']} {link['url']} from {link.get('parent') or 'llms.txt, a sitemap or a twin'} {link['why']}"
            for link in answer["broken"]
        }
    )
    return _verdict(
        f"{len(notes)} broken of {answer['checked']} internal links ({answer['outside']} outside were not asked)", notes
    )


def _markdownlint(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("markdownlint-cli2") / "markdownlint-cli2-bin.mjs"
    files = [f":{path}" for path in site.markdown.values()]
    done = tools.run(tools.node, cli, "--config", tools.home / "rules/.markdownlint-cli2.yaml", *files)
    if done.returncode not in {0, 1}:
        raise Unusable((done.stderr or done.stdout).strip()[-800:])
    notes = [
        line.removeprefix("dump/markdown/") for line in done.stderr.splitlines() if " MD" in line or "error" in line
    ]
    return _verdict(f"{len(notes)} problems in {len(files)} twins", notes, met=done.returncode == 0 and not notes)


def _afdocs(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("afdocs") / "bin/afdocs.mjs"
    words = (
        f"check {site.base} --format json --score --quiet --sampling deterministic --max-links 1000 --request-delay 2"
    )
    report = _read(tools.run(tools.node, cli, *words.split(), "--network-context", "developer-machine"))
    (tools.home / "reports/afdocs.json").write_text(json.dumps(report, indent=1), "utf-8")
    score = report["scoring"]["overall"]
    notes = [
        f"{result['status']} {result['id']}: {result['message']}"
        for result in report["results"]
        if result["status"] not in {"pass", "skip"}
    ]
    notes += [
        f"(skipped) {result['id']}: {result['message']}" for result in report["results"] if result["status"] == "skip"
    ]
    return _verdict(f"score {score} over {report.get('testedPages')} pages", notes, met=score == 100)


def _a14y(tools: Toolbox, site: Copy) -> Verdict:
    """Forty pages of the site, against the scorecard that the command takes by itself."""
    options = "--mode site --max-pages 40 --polite-delay 0 --output json"
    report = _read(tools.run(tools.node, tools.a14y, "--no-telemetry", "check", site.base, *options.split()))
    score = report["summary"]["score"]
    notes = [
        f"{check['id']} {check.get('message', '')} {page.get('url', '')}"
        for page in ({"checks": report.get("siteChecks", [])}, *report.get("pages", []))
        for check in page["checks"]
        if check["status"] in {"fail", "warn"}
    ]
    return _verdict(f"score {score}", notes, met=score >= A14Y)


def _linked_data(tools: Toolbox, site: Copy) -> Verdict:
    counted = _read(tools.drive("linked-data.mjs", tools.home / "linked-data", *site.html.values()))
    done = tools.run(
        tools.node,
        tools.package("typescript") / "bin/tsc",
        "-p",
        tools.home / "rules/tsconfig.json",
        "--pretty",
        "false",
    )
    notes = [line for line in done.stdout.splitlines() if ": error TS" in line or line.startswith("error TS")]
    figure = (
        f"{len(notes)} errors in {counted['objects']} objects ({counted['other']} with more than schema.org left to"
        " mlcroissant)"
    )
    return _verdict(figure, notes, met=done.returncode == 0 and counted["objects"] > 0)


def _agents(tools: Toolbox, _site: Copy) -> Verdict:
    """Our classifier on User-Agents that others collected; what is named is told and has no bar."""
    lists = tools.drive("agents.mjs")
    if lists.returncode:
        raise Unusable(lists.stderr.strip()[-800:])
    report = _read(tools.run(ROOT / ".venv/bin/python", HERE / "agents.py", stdin=lists.stdout))
    verified, ai, fixtures, isbot, browsers = (
        report[name] for name in ("verified", "ai", "fixtures", "isbot", "browsers")
    )
    missed = {name: len(report[name]["missed"]) / report[name]["agents"] for name in ("verified", "ai", "fixtures")}
    taken = len(browsers["taken"]) / browsers["agents"]
    figure = (
        f"seen as automation: {1 - missed['verified']:.2%} of {verified['agents']} verified bots"
        f" ({verified['named'] / verified['agents']:.0%} named), {1 - missed['ai']:.2%} of {ai['agents']} AI agents,"
        f" {1 - missed['fixtures']:.2%} of {fixtures['agents']} fixtures of isbot; {len(isbot['missed'])} of"
        f" {isbot['agents']} that isbot sees are missed; {taken:.2%} of {browsers['agents']} browsers taken for bots"
    )
    notes = [f"taken for a browser: {agent}" for name in ("verified", "fixtures") for agent in report[name]["missed"]]
    notes += [f"taken for a bot: {agent}" for agent in browsers["taken"]]
    met = missed["verified"] <= 0.01 and not ai["missed"] and not fixtures["missed"] and taken <= 0.002
    return _verdict(figure, notes, met=met)


def _shots(tools: Toolbox, site: Copy) -> Verdict:
    folder = tools.home / "shots"
    folder.mkdir(exist_ok=True)
    pairs = [f"{name}={_family(site, beginning)}" for name, beginning in SHOTS.items()]
    files = _read(tools.drive("shots.mjs", site.base, folder, *pairs))["files"]
    wanted = len(SHOTS) * 4
    return _verdict(f"{len(files)} pictures in .audit/shots/", (), met=len(files) == wanted)


BROWSER = ("node", "chromium")
JUDGES: Sequence[Judge] = (
    Judge("vnu", "0 errors", ("node", "java"), _vnu),
    Judge("axe", "0 violations and no sideways scroll at 1280 and 320 px, light and dark", BROWSER, _axe),
    Judge("counts", "as axe, on pages with counts", BROWSER, _counts),
    Judge(
        "phone",
        f"title within {TITLE_TOP} px, nugget in the first screen, text in {TEXT_SCREENS}, /agents/ in {AGENTS_SCREENS}",
        BROWSER,
        _phone,
    ),
    Judge("prints", "title, numbers and sources in the text of every PDF, nothing cut", BROWSER, _prints),
    Judge("lighthouse", "1.00 in all five", BROWSER, _lighthouse),
    Judge("redocly", "0 problems", ("node",), _redocly),
    Judge("spectral", "0 problems", ("node",), _spectral),
    Judge("feeds", "0 faults", ("node",), _feeds),
    Judge("sitemaps", "0 invalid", ("node", "xmllint"), _sitemaps),
    Judge("links", "0 broken", ("node",), _links),
    Judge("markdownlint", "0 problems", ("node",), _markdownlint),
    Judge("afdocs", "score 100", ("node",), _afdocs),
    Judge("a14y", f"score of at least {A14Y}", ("node", "a14y"), _a14y),
    Judge("linked-data", "0 errors", ("node",), _linked_data),
    Judge(
        "agents",
        "99 % of verified bots, every AI agent and fixture seen as automation; at most 0.2 % of browsers",
        ("node",),
        _agents,
    ),
    Judge("shots", "every page in light and dark at both widths", BROWSER, _shots),
)
