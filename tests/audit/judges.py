"""The judges: what each is asked, how its answer is read, and the bar it has to meet."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from browser_judges import BROWSER_JUDGES
from release_judges import RELEASE_JUDGES
from site_copy import Copy
from toolbox import HERE, ROOT, Toolbox
from verdict import Judge, Unusable, Verdict, judged, read

A14Y = 95
"""The least score of a14y."""


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
    messages = read(done)["messages"]
    errors = [message for message in messages if message["type"] != "info"]
    notes = [f"{Path(error.get('url', '')).name}:{error.get('lastLine', 0)} {error['message']}" for error in errors]
    warnings = [
        f"(warning) {Path(message.get('url', '')).name}: {message['message']}"
        for message in messages
        if message["type"] == "info"
    ]
    return judged(
        f"{len(errors)} errors, {len(warnings)} warnings on {len(site.html)} pages and {len(site.theme)} files of the"
        " theme",
        [*notes, *warnings],
        met=not errors,
    )


def _redocly(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("@redocly/cli") / "bin/cli.js"
    options = ("--config", tools.home / "rules/redocly.yaml", "--format", "json", "--max-problems", "1000")
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    answers = [read(tools.run(tools.node, cli, "lint", file, *options, **quiet)) for file in site.openapi.values()]
    notes = [
        f"{problem['ruleId']} {_place(problem)}: {problem['message']}"
        for answer in answers
        for problem in answer["problems"]
    ]
    return judged(f"{len(notes)} problems in {len(answers)} documents", notes)


def _place(problem: dict[str, Any]) -> str:
    place = problem["location"][0]
    return f"{Path(place['source']['ref']).name}{place.get('pointer', '')}"


def _spectral(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("@stoplight/spectral-cli") / "dist/index.js"
    command = (tools.node, cli, "lint", "--ruleset", tools.home / "rules/spectral.yaml", "--format", "json", "--quiet")
    problems = read(tools.run(*command, *site.openapi.values()))
    notes = [
        f"{problem['code']} {Path(problem['source']).name} {'/'.join(map(str, problem['path']))}: {problem['message']}"
        for problem in problems
    ]
    return judged(f"{len(problems)} problems in {len(site.openapi)} documents", notes)


def _feeds(tools: Toolbox, site: Copy) -> Verdict:
    feeds = read(tools.drive("feeds.mjs", *site.feeds.values()))["feeds"]
    notes = [f"{Path(feed['file']).name}: {feed['fault']}" for feed in feeds if feed["fault"]]
    if not feeds:
        notes.append("no page announces a feed")
    return judged(f"{len(notes)} faults in {len(feeds)} feeds, {sum(feed['entries'] for feed in feeds)} entries", notes)


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
    return judged(f"{len(notes)} invalid of {len(site.sitemaps)} sitemaps", notes)


def _links(tools: Toolbox, site: Copy) -> Verdict:
    start = tools.home / "reports/links-start.txt"
    start.write_text("\n".join(site.links), "utf-8")
    answer = read(tools.drive("links.mjs", site.base, start))
    notes = sorted(
        {
            f"{link['status']} {link['url']} from {link.get('parent') or 'llms.txt, a sitemap or a twin'} {link['why']}"
            for link in answer["broken"]
        }
    )
    return judged(
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
    return judged(f"{len(notes)} problems in {len(files)} twins", notes, met=done.returncode == 0 and not notes)


def _afdocs(tools: Toolbox, site: Copy) -> Verdict:
    cli = tools.package("afdocs") / "bin/afdocs.mjs"
    words = (
        f"check {site.base} --format json --score --quiet --sampling deterministic --max-links 1000 --request-delay 2"
    )
    report = read(tools.run(tools.node, cli, *words.split(), "--network-context", "developer-machine"))
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
    return judged(f"score {score} over {report.get('testedPages')} pages", notes, met=score == 100)


def _a14y(tools: Toolbox, site: Copy) -> Verdict:
    """Forty pages of the site, against the scorecard that the command takes by itself."""
    options = "--mode site --max-pages 40 --polite-delay 0 --output json"
    report = read(tools.run(tools.node, tools.a14y, "--no-telemetry", "check", site.base, *options.split()))
    score = report["summary"]["score"]
    notes = [
        f"{check['id']} {check.get('message', '')} {page.get('url', '')}"
        for page in ({"checks": report.get("siteChecks", [])}, *report.get("pages", []))
        for check in page["checks"]
        if check["status"] in {"fail", "warn"}
    ]
    return judged(f"score {score}", notes, met=score >= A14Y)


def _linked_data(tools: Toolbox, site: Copy) -> Verdict:
    counted = read(tools.drive("linked-data.mjs", tools.home / "linked-data", *site.html.values()))
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
    return judged(figure, notes, met=done.returncode == 0 and counted["objects"] > 0)


def _agents(tools: Toolbox, _site: Copy) -> Verdict:
    """Our classifier on User-Agents that others collected; names, and fixtures that isbot left behind, have no bar."""
    lists = tools.drive("agents.mjs")
    if lists.returncode:
        raise Unusable(lists.stderr.strip()[-800:])
    report = read(tools.run(ROOT / ".venv/bin/python", HERE / "agents.py", stdin=lists.stdout))
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
    met = missed["verified"] <= 0.01 and not ai["missed"] and not isbot["missed"] and taken <= 0.002
    return judged(figure, notes, met=met)


JUDGES: Sequence[Judge] = (
    Judge("vnu", "0 errors", ("node", "java"), _vnu),
    *BROWSER_JUDGES,
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
        "99 % of verified bots, every AI agent and all that isbot sees, as automation; at most 0.2 % of browsers",
        ("node",),
        _agents,
    ),
    *RELEASE_JUDGES,
)
