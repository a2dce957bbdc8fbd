"""The judges of make interop: the conformance suite, the Inspector, and clients of several years."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workshop import HERE, HOME, Workshop, archive, fixtures

MODERN, HANDSHAKE = "2026-07-28", "2025-11-25"
SUITE = "@modelcontextprotocol/conformance/dist/index.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"
MANY = 1_000_000
UNEXPLAINED = "no reason is known"
UNSCORED = {
    "tasks-": "the extension for tasks is not offered; not scored",
    "http-custom-header": "the extension for headers of parameters is not offered; not scored",
    "json-schema-2020-12": "the suite's own tool; not scored",
    "server-sse-polling": "no streams are offered; not scored",
}
"""Why scenarios of extensions fail, by the beginning of their names."""
TOOLS = 14


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge found."""

    name: str
    word: str
    """``ok``, ``MISSED`` or ``skipped``."""
    figure: str
    reasons: tuple[str, ...] = ()
    """What was not passed, each with why."""


def verdict(name: str, good: bool, figure: str, reasons: tuple[str, ...] = ()) -> Verdict:
    return Verdict(name, "ok" if good else "MISSED", figure, reasons)


def without(tools: Workshop, tool: str, name: str) -> Verdict | None:
    """The reason why a judge cannot run, if it cannot."""
    reason = tools.why.get(tool)
    return Verdict(name, "skipped", reason) if reason else None


def _suite(tools: Workshop, url: str, sort: str) -> Iterator[Verdict]:
    for revision in (MODERN, HANDSHAKE):
        name = f"suite {sort} {revision}"
        expected = HERE / "expected" / f"{sort}-{revision}.yml"
        command = [
            "server",
            "--url",
            url,
            "--requirements",
            revision,
            "-o",
            HOME / "out",
            "--expected-failures",
            expected,
        ]
        done = tools.run(tools.node, tools.package(SUITE), *command)
        (HOME / "reports" / f"{name.replace(' ', '-')}.log").write_text(done.stdout + done.stderr, "utf-8")
        total = re.search(r"Total: (\d+) passed, (\d+) failed", done.stdout)
        passed, failed = (int(count) for count in total.groups()) if total else (0, 0)
        scenarios = len(re.findall(r"^✓ ", done.stdout, re.MULTILINE))
        reasons = tuple(_reasons(done.stdout, expected.read_text("utf-8")))
        explained = all(UNEXPLAINED not in reason for reason in reasons)
        figure = f"{passed} of {passed + failed} checks, {scenarios} scenarios passed; {len(reasons)} not:"
        yield verdict(name, done.returncode == 0 and explained, figure, reasons)


def _reasons(report: str, expected: str) -> Iterator[str]:
    """Each scenario that is not passed, with the reason of the list of expected failures or of what is not scored."""
    entries = re.findall(r"^  - ([a-z0-9-]+)\S* # (.+)$", expected, re.MULTILINE)
    known_reasons: dict[str, str] = {}
    for scenario, reason in entries:
        known_reasons.setdefault(scenario, reason)
    for scenario, passed, failed in re.findall(r"^✗ ([a-z0-9-]+): (\d+) passed, (\d+) failed", report, re.MULTILINE):
        general = next((reason for start, reason in UNSCORED.items() if scenario.startswith(start)), UNEXPLAINED)
        yield f"{scenario} ({passed} of {int(passed) + int(failed)}): {known_reasons.get(scenario, general)}"


def suite(tools: Workshop) -> Iterator[Verdict]:
    """The suite over the archive's own names: what it wants and an archive has not is listed."""
    if missing := without(tools, "node", "suite bare"):
        yield missing
        return
    with archive(MANY) as url:
        yield from _suite(tools, url, "bare")


def fixture(tools: Workshop) -> Iterator[Verdict]:
    """The suite over a server that has the names it wants."""
    if missing := without(tools, "node", "suite fixture"):
        yield missing
        return
    with fixtures() as url:
        yield from _suite(tools, url, "fixture")


def skills(tools: Workshop) -> Iterator[Verdict]:
    """The scenarios of the skills extension."""
    if missing := without(tools, "node", "skills"):
        yield missing
        return
    with archive(MANY) as url:
        for scenario in ("sep-2640-skills-enumeration", "sep-2640-skills-manifest"):
            command = [
                "server",
                "--url",
                url,
                "--scenario",
                scenario,
                "--spec-version",
                MODERN,
                "--force",
                "-o",
                HOME / "out",
            ]
            done = tools.run(tools.node, tools.package(SUITE), *command)
            match = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", done.stdout)
            yield verdict(
                scenario, bool(match and match[1] == match[2]), match[0] if match else done.stdout.strip()[-200:]
            )


def inspector(tools: Workshop) -> Iterator[Verdict]:
    """The Inspector's command line in three eras, strict about schemas, and its check of the skills' digests."""
    if missing := without(tools, "node", "inspector"):
        yield missing
        return
    calls = [(era, ("--method", "tools/list", "--strict")) for era in ("modern", "legacy", "auto")]
    calls.append(("modern", ("--method", "skills/list", "--verify")))
    with archive(MANY) as url:
        for era, words in calls:
            done = tools.run(
                tools.node,
                tools.package(INSPECTOR),
                "--cli",
                url,
                "--transport",
                "http",
                "--protocol-era",
                era,
                "--format",
                "json",
                *words,
            )
            yield verdict(f"inspector {era} {words[1]}", done.returncode == 0, f"exit code {done.returncode}")


def clients(tools: Workshop) -> Iterator[Verdict]:
    """TypeScript clients: 2.4.0 in each mode, 1.32.2, and 1.10.0 with a real batch."""
    if missing := without(tools, "node", "clients"):
        yield missing
        return
    versions = {"default": HANDSHAKE, "legacy": HANDSHAKE, "auto": MODERN, MODERN: MODERN}
    with archive(MANY) as url:
        modes = {outcome["mode"]: outcome for outcome in _driven(tools, "modern.mjs", url)}
        for mode, version in versions.items():
            outcome = modes[mode]
            good = (
                outcome["version"] == version
                and outcome["tools"] == TOOLS
                and outcome["hits"] == 1
                and outcome["text"]
                and outcome["refused"]
            )
            fewer = version == HANDSHAKE or outcome["requests"] < modes["legacy"]["requests"]
            yield verdict(
                f"client 2.4.0 {mode}", good and fewer, f"{outcome['version']}, {outcome['requests']} requests"
            )
        outcome = _driven(tools, "sdk.mjs", url)
        yield verdict(
            "sdk 1.32.2", outcome == {"version": HANDSHAKE, "tools": TOOLS, "hits": 1, "text": True}, outcome["version"]
        )
        answers = _driven(tools, "batch.mjs", url)
        wanted = [
            {"id": "a", "ok": True, "code": None},
            {"id": "b", "ok": True, "code": None},
            {"id": "c", "ok": False, "code": -32002},
        ]
        yield verdict("sdk 1.10.0 batch", answers == wanted, f"{len(answers)} answers to one POST")


def python(tools: Workshop) -> Iterator[Verdict]:
    """Older Python SDKs."""
    with archive(MANY) as url:
        for version, revision in {"1.30.0": HANDSHAKE, "1.8.0": "2024-11-05"}.items():
            if missing := without(tools, f"sdk-{version}", f"mcp {version}"):
                yield missing
                continue
            done = tools.run(tools.pythons[version], HOME / "clients" / "python_sdk.py", url, limit=120)
            outcome = json.loads(done.stdout) if done.returncode == 0 else {}
            good = outcome == {"version": revision, "tools": TOOLS, "text": True, "read": True}
            yield verdict(f"mcp {version}", good, outcome.get("version", done.stderr.strip()[-200:]))


def limit(tools: Workshop) -> Iterator[Verdict]:
    """What a client shows when its limit is used up."""
    if missing := without(tools, "node", "limit"):
        yield missing
        return
    for mode in ("legacy", "auto"):
        with archive(6) as url:
            message = _driven(tools, "limited.mjs", url, mode)["message"]
            yield verdict(
                f"limit in client 2.4.0 {mode}",
                "Rate limit: 6 messages per minute; retry after" in message,
                "the message is shown",
            )


def _driven(tools: Workshop, driver: str, *words: str):
    """What one of our small drivers prints."""
    done = tools.run(tools.node, HOME / "clients" / driver, *words, limit=120)
    if done.returncode:
        raise SystemExit(f"{driver}: {done.stderr.strip()[-800:]}")
    return json.loads(done.stdout)


PARTS: dict[str, Callable[[Workshop], Iterator[Verdict]]] = {
    "suite": suite,
    "fixture": fixture,
    "skills": skills,
    "inspector": inspector,
    "clients": clients,
    "python": python,
    "limit": limit,
}
