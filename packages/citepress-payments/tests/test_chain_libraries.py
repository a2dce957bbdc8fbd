import subprocess
import sys

import pytest

HEAVY = ("x402", "web3", "solders", "solana")
DRIVERS = "citepress_payments."
LOADED = (
    "import sys, importlib; [importlib.import_module(name) for name in sys.argv[1].split()];"
    " print(*sorted(sys.modules))"
)


def loaded(*modules: str) -> set[str]:
    """What a fresh interpreter has after importing these modules."""
    done = subprocess.run(
        [sys.executable, "-c", LOADED, " ".join(modules)], capture_output=True, text=True, check=True, timeout=300
    )
    return set(done.stdout.split())


def test_the_service_needs_no_chain_library() -> None:
    modules = loaded("citepress_payments.payment_system", "citepress_payments.endpoint", "citepress.cli")
    assert not modules & {*HEAVY, "eth_account", "eth_utils"}


@pytest.mark.parametrize(
    "names",
    [
        "chains.evm.native chains.svm.native",
        "senders.facilitator chains.evm.reader chains.svm.reader",
        "simulated_chain.driver",
    ],
)
def test_native_facilitator_and_simulated_rails_need_no_sdk(names: str) -> None:
    modules = loaded(*(DRIVERS + name for name in names.split()))
    assert not modules & set(HEAVY)


def test_real_payments_import_nothing_of_the_simulated_chain() -> None:
    modules = loaded(
        "citepress_payments.payment_system",
        "citepress_payments.admin",
        "citepress_payments.endpoint",
        "citepress_payments.senders.facilitator",
        "citepress_payments.chains.evm.embedded",
    )
    assert "citepress_payments.setup" in modules
    assert sorted(name for name in modules if name.startswith("citepress_payments.simulated_chain")) == []


def test_the_embedded_drivers_bring_each_only_its_own_family() -> None:
    assert "solders" not in loaded(DRIVERS + "chains.evm.embedded")
    assert "web3" not in loaded(DRIVERS + "chains.svm.embedded")
