"""The list of all faults in ``docs/reference/faults.md``; what explains each is written by hand, and tested."""

from citepress.contract.fault import fault_codes


def table() -> str:
    """A row for each fault, with the section that explains it."""
    rows = (
        f"| [{code.id}](#{code.id.lower()}-{code.name}-{code.level.value}) | {code.level.value} | {code.about} |\n"
        for code in sorted(fault_codes(), key=lambda each: each.id)
    )
    return "| code | level | meaning |\n| --- | --- | --- |\n" + "".join(rows)
