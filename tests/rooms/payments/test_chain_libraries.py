import subprocess
import sys

import pytest

HEAVY = ("x402", "web3", "solders", "solana")
DRIVERS = "citepress.payments."
LOADED = "import sys, importlib; [importlib.import_module(name) for name in sys.argv[1].split()]; print(*sorted(sys.modules))"


def loaded(*modules: str) -> set[str]:
    """What a fresh interpreter has after importing these modules."""
    done = subprocess.run([sys.executable, "-c", LOADED, " ".join(modules)], capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.split())


def test_the_service_needs_no_chain_library() -> None:
    found = loaded("citepress.app.payments", "citepress.web.endpoints.payment", "citepress.cli")
    assert not found & {*HEAVY, "eth_account", "eth_utils"}


@pytest.mark.parametrize(
    "names", ["chains.evm.native chains.svm.native", "senders.facilitator chains.evm.family chains.svm.family", "chains.simulated.exact"]
)
def test_native_facilitator_and_simulated_rails_need_no_sdk(names: str) -> None:
    found = loaded(*(DRIVERS + name for name in names.split()))
    assert not found & set(HEAVY)


def test_the_embedded_drivers_bring_each_only_its_own_family() -> None:
    assert "solders" not in loaded(DRIVERS + "chains.evm.exact")
    assert "web3" not in loaded(DRIVERS + "chains.svm.exact")
