"""The list of all faults in ``docs/reference/faults.md``; what explains each is written by hand, and tested."""

from importlib.resources import files

from citepress.cli.explain import FAULTS, explanation
from citepress.contract.fault import fault_codes
from citepress.extension import CORE, owner_of


def table() -> str:
    """A row for each fault, with the section that explains it."""
    rows = (
        f"| [{code.id}](#{code.id.lower()}-{code.name}-{code.level.value}) | {code.level.value} | {code.about} |\n"
        for code in sorted(fault_codes(), key=lambda each: each.id)
    )
    return "| code | level | meaning |\n| --- | --- | --- |\n" + "".join(rows)


def sections() -> str:
    """The section on each fault, those of the core in groups; each package has its own, for ``citepress explain``."""
    extensions = [code for code in fault_codes() if owner_of(code) != CORE]
    core = files("citepress.cli").joinpath(FAULTS).read_text("utf-8").strip()
    others = "\n\n".join(f"### {explanation(code)}" for code in sorted(extensions, key=lambda each: each.id))
    return f"{core}\n\n## Of extensions\n\n{others}\n"
