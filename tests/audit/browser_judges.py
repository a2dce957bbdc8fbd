"""The judges that look at pages in a browser: on screens, on a phone and on paper."""

import json
from collections.abc import Iterable, Sequence

from site_copy import Copy, serving
from toolbox import Toolbox
from verdict import Judge, Unusable, Verdict, judged, read

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
TITLE_TOP, AGENTS_SCREENS, TEXT_SCREENS = 200, 12, 1.5
"""Pixels above a title on a phone, screens that the guide for agents takes, and those above the text of a record."""
COUNTED = ("/machine-consumption/",)
"""Pages that show what was counted."""
BROWSER = ("node", "chromium")


def _axe(tools: Toolbox, site: Copy) -> Verdict:
    return _axe_at(tools, site.base, _one_each(site))


def _counts(tools: Toolbox, _site: Copy) -> Verdict:
    """The pages that show what was counted, once there is something; the served archive has seen nobody yet."""
    with serving(counted=True) as base:
        return _axe_at(tools, base, COUNTED)


def _axe_at(tools: Toolbox, base: str, paths: Iterable[str]) -> Verdict:
    answer = read(tools.drive("axe.mjs", base, *paths))
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
    return judged(figure, [*notes, *unsure], met=not notes)


def _phone(tools: Toolbox, site: Copy) -> Verdict:
    """Where a phone shows the title, the nugget and the text of every page, and how long the guide for agents is."""
    start = tools.home / "reports/phone-start.txt"
    start.write_text("\n".join(site.html), "utf-8")
    answer = read(tools.drive("phone.mjs", site.base, start))
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
    return judged(
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
    pages = read(tools.drive("prints.mjs", site.base, folder, start))["pages"]
    notes = [f"{page['path']} is cut: {text}" for page in pages for text in page["cut"]]
    notes += [f"{page['path']} lacks {text}" for page in pages for text in page["missing"]]
    return judged(f"{len(notes)} faults on {sum(page['sheets'] for page in pages)} sheets of {len(pages)} pages", notes)


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
    pages = read(tools.drive("lighthouse.mjs", site.base, *paths))["pages"]
    with serving(counted=True) as base:
        pages += read(tools.drive("lighthouse.mjs", base, *COUNTED))["pages"]
    notes = [
        f"{page['path']} {audit['category']} {audit['id']} {audit['score']}: {audit['title']}"
        f" {json.dumps(audit.get('items') or audit.get('explanation') or '')[:600]}"
        for page in pages
        for audit in page["lost"]
    ]
    notes += [f"{page['path']} {page['error']}" for page in pages if page.get("error")]
    lowest = {name: min(page["scores"][name] or 0 for page in pages) for name in pages[0]["scores"]}
    figure = ", ".join(f"{name} {score:.2f}" for name, score in lowest.items()) + f" (lowest of {len(pages)} pages)"
    return judged(figure, notes, met=all(score == 1 for score in lowest.values()))


def _shots(tools: Toolbox, site: Copy) -> Verdict:
    folder = tools.home / "shots"
    folder.mkdir(exist_ok=True)
    pairs = [f"{name}={_family(site, beginning)}" for name, beginning in SHOTS.items()]
    files = read(tools.drive("shots.mjs", site.base, folder, *pairs))["files"]
    wanted = len(SHOTS) * 4
    return judged(f"{len(files)} pictures in .audit/shots/", (), met=len(files) == wanted)


BROWSER_JUDGES: Sequence[Judge] = (
    Judge("axe", "0 violations and no sideways scroll at 1280 and 320 px, light and dark", BROWSER, _axe),
    Judge("counts", "as axe, on pages with counts", BROWSER, _counts),
    Judge(
        "phone",
        f"title within {TITLE_TOP} px, nugget in the first screen, text in {TEXT_SCREENS}, /agents/ in"
        f" {AGENTS_SCREENS}",
        BROWSER,
        _phone,
    ),
    Judge("prints", "title, numbers and sources in the text of every PDF, nothing cut", BROWSER, _prints),
    Judge("lighthouse", "1.00 in all five", BROWSER, _lighthouse),
    Judge("shots", "every page in light and dark at both widths", BROWSER, _shots),
)
