"""``citepress payments init``: a test configuration with the simulated driver, in ``site.toml``."""

import os
import re
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.cli.console import answer, complain
from citepress.content import toml_loader
from citepress.content.settings_file import SETTINGS_FILE
from citepress_payments.cli.options import Content, Json
from citepress_payments.drivers import BUYER as DRIVER_OF_BUYER
from citepress_payments.drivers import DriverMissingError, test_buyer
from citepress_payments.families import EVM
from citepress_payments.recipients import recipient_fault
from citepress_payments.settings import EVM_ADDRESS, SIMULATED_SELLER
from citepress_payments.simulated_chain.chain import BUYER

SETUP_TABLE = "site_table.toml.txt"
"""What is added to ``site.toml``."""
WHOSE = "  # a placeholder without a key; real rails do not open with it: set your own address"
PayTo = Annotated[
    str,
    Parameter(help="Your EVM address; the default is a placeholder that only simulated rails take."),
]


def init(content: Content = Path(), *, pay_to: PayTo = SIMULATED_SELLER, json: Json = False) -> int:
    """Add [payments] with simulated rails to site.toml, unless it is there."""
    if not re.fullmatch(EVM_ADDRESS, pay_to):
        complain(f"--pay-to {pay_to!r} is not an EVM address: use 0x and 40 hexadecimal digits")
        return 2
    if wrong := recipient_fault(EVM, pay_to, main=pay_to != SIMULATED_SELLER, simulated=True):
        complain(f"--pay-to {pay_to}: {wrong}")
        return 2
    if not content.is_dir():
        complain(f"{content} is not a folder; name the folder that contains the content")
        return 2
    file = content / SETTINGS_FILE
    try:
        text = file.read_text("utf-8") if file.exists() else ""
        present = toml_loader.load(text)
    except (OSError, ValueError) as error:
        complain(f"{file} cannot be read, and is left as it is: {error}")
        return 1
    if "payments" in present:
        complain(f"{file} has [payments] already, and is left as it is")
        return 1
    text_of_table = files(__package__).joinpath(SETUP_TABLE).read_text("utf-8")
    table = text_of_table.format(pay_to=pay_to, whose=WHOSE if pay_to == SIMULATED_SELLER else "")
    _written(file, f"{text.rstrip()}\n\n{table}" if text.strip() else table)
    lacking = _lacking()
    steps = [
        *[f"pip install '{lacking}'"] * bool(lacking),
        f"citepress serve {content}",
        "citepress payments test http://127.0.0.1:8000",
    ]
    shown = "".join(f"    {line}\n" if line else "\n" for line in table.split("\n")).rstrip()
    ways = "\n  ".join([f"The published buyer {BUYER} can pay these rails. Next:", *steps])
    answer(f"Wrote into {file}:\n\n{shown}\n\n{ways}", {"file": str(file), "buyer": BUYER, "next": steps}, as_json=json)
    return 0


def _lacking() -> str:
    """The extra without which simulated rails do not open here; empty where it is installed."""
    try:
        test_buyer()
    except DriverMissingError:
        return f"citepress[{DRIVER_OF_BUYER.extra}]"
    return ""


def _written(file: Path, text: str) -> None:
    """Put the file in its place at once, with the mode that it had."""
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, "utf-8")
    if file.exists():
        new.chmod(file.stat().st_mode)
    os.replace(new, file)  # noqa: PTH105  (the same, and follows no link of the target)
