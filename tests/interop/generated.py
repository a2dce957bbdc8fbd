"""Judges that read the contract alone: a generated client, and a prober of paid APIs."""

import json
import shutil
from collections.abc import Callable, Iterator

from judges import Verdict, verdict, without
from workshop import HOME, Workshop, programs, served_demo

GENERATOR = "openapi-generator-cli==7.26.0"
NEEDED = ("pydantic==2.14.4", "python-dateutil==4.0.0", "urllib3==2.8.0", "typing-extensions==4.16.0")
"""What the clients that the generator writes import."""
PAID_ROUTES = 4


def generator(tools: Workshop) -> Iterator[Verdict]:
    """The Python client of openapi-generator parses each JSON document of the demo."""
    name = "openapi-generator python"
    if not shutil.which("java"):
        yield Verdict(name, "skipped", "Java is needed")
        return
    bin_ = programs("generator", GENERATOR, *NEEDED, why=tools.why)
    if bin_ is None:
        yield Verdict(name, "skipped", tools.why["generator"])
        return
    package = HOME / "generated"
    shutil.rmtree(package, ignore_errors=True)
    with served_demo(HOME / "state", CITEPRESS_REST_LIMIT="100000") as url:
        options = ["-g", "python", "-o", package, "--additional-properties=packageName=generated_archive"]
        written = tools.run(bin_ / "openapi-generator-cli", "generate", "-i", f"{url}/openapi.json", *options)
        (HOME / "reports" / "openapi-generator.log").write_text(written.stdout + written.stderr, "utf-8")
        code = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_path(sys.argv.pop(1))"
        driver = HOME / "clients" / "generated_client.py"
        done = tools.run(bin_ / "python", "-c", code, package, driver, url)
    outcome = json.loads(done.stdout) if done.returncode == 0 else {"parsed": 0, "faults": [done.stderr.strip()[-300:]]}
    good = outcome["parsed"] > 0 and not outcome["faults"]
    yield verdict(name, good, f"{outcome['parsed']} documents parsed; {'; '.join(outcome['faults']) or 'no fault'}")


def discovery(tools: Workshop) -> Iterator[Verdict]:
    """A stock prober finds the paid routes with their prices."""
    if missing := without(tools, "node", "discovery"):
        yield missing
        return
    with served_demo(HOME / "state") as url:
        done = tools.run(tools.node, HOME / "clients" / "discovery.mjs", url, limit=120)
    paid = json.loads(done.stdout) if done.returncode == 0 else {}
    good = len(paid) == PAID_ROUTES and all(paid.values())
    figure = ", ".join(sorted(set(paid.values()))) or done.stderr.strip()[-200:]
    yield verdict("discovery of paid routes", good, f"{len(paid)} paid routes at {figure}")


PARTS: dict[str, Callable[[Workshop], Iterator[Verdict]]] = {"generator": generator, "discovery": discovery}
