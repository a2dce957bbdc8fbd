"""Who may be paid: no address that was mistyped, and none whose key is public or that nobody holds."""

import hashlib
import hmac

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from eth_account import Account
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from citepress_payments import development_accounts
from citepress_payments.base58 import base58
from citepress_payments.families import EVM, SVM, ChainFamily
from citepress_payments.keccak import keccak256
from citepress_payments.permit2 import PERMIT2, PERMIT2_PROXY
from citepress_payments.rails import ALL
from citepress_payments.recipients import recipient_fault
from citepress_payments.settings import SIMULATED_SELLER, TEST_BUYER

MINE = "0x2222222222222222222222222222222222222222"
GOOD = to_checksum_address("0x" + hashlib.sha256(b"a seller of the tests").hexdigest()[:40])
MNEMONICS = {
    "test test test test test test test test test test test junk": 30,
    "myth like bonus scare over problem client lizard pioneer submit female collect": 20,
    "candy maple cake sugar pudding cream honey rich smooth crumble sweet treat": 10,
}


def fault(address: str, *, family: ChainFamily = EVM, main: bool = True, simulated: bool = False) -> str:
    return recipient_fault(family, address, main=main, simulated=simulated)


def test_keccak_is_the_libraries() -> None:
    for length in (0, 1, 40, 135, 136, 137, 272, 300):
        assert keccak256(b"\xa5" * length) == keccak(b"\xa5" * length), length


def test_checksums_are_the_libraries() -> None:
    for number in range(50):
        address = "0x" + hashlib.sha256(bytes([number])).hexdigest()[:40]
        upper = "0x" + address[2:].upper()
        assert EVM.canonical_address(address) == EVM.canonical_address(upper) == to_checksum_address(address)


def test_an_address_that_was_copied_whole_is_taken() -> None:
    assert [fault(GOOD), fault(MINE)] == ["", ""], "the second has no letters whose case could tell"


def test_every_flipped_letter_is_found_on_every_network() -> None:
    flipped = [
        GOOD[:place] + GOOD[place].swapcase() + GOOD[place + 1 :] for place in range(2, 42) if GOOD[place].isalpha()
    ]
    assert len(flipped) > 10
    for address in flipped:
        assert "EIP-55" in fault(address), address
        assert "EIP-55" in fault(address, main=False, simulated=True), address


@pytest.mark.parametrize("bare", [GOOD.lower(), "0x" + GOOD[2:].upper()])
def test_an_address_without_a_checksum_is_refused_where_money_is_real(bare: str) -> None:
    assert "no checksum" in fault(bare)
    assert fault(bare, main=False) == ""


def test_the_development_accounts_are_those_of_their_mnemonics() -> None:
    Account.enable_unaudited_hdwallet_features()
    for words, count in MNEMONICS.items():
        for number in {0, 1, 5, count - 1}:
            address = Account.from_mnemonic(words, account_path=f"m/44'/60'/0'/0/{number}").address
            assert "public" in fault(address), address
            assert fault(address, main=False) == "", "test money is worth nothing"
    for key in (1, 2, 16):
        assert EVM.is_development_key(Account.from_key(key.to_bytes(32)).address)
    assert EVM.is_development_key(TEST_BUYER)
    assert len(development_accounts.EVM) == 76


def solana_address(words: str, *path: int) -> str:
    """SLIP-10 over the seed of a mnemonic; without a path the seed itself, as Solana's own tools take it."""
    seed = hashlib.pbkdf2_hmac("sha512", words.encode(), b"mnemonic", 2048)
    node = hmac.new(b"ed25519 seed", seed, hashlib.sha512).digest() if path else seed
    for step in path:
        child = b"\0" + node[:32] + (step | 1 << 31).to_bytes(4)
        node = hmac.new(node[32:], child, hashlib.sha512).digest()
    return base58(Ed25519PrivateKey.from_private_bytes(node[:32]).public_key().public_bytes_raw())


def test_so_are_those_of_solana() -> None:
    for words in MNEMONICS:
        for address in (
            solana_address(words),
            solana_address(words, 44, 501, 0, 0),
            solana_address(words, 44, 501, 9, 0),
        ):
            assert "public" in fault(address, family=SVM), address
    assert len(development_accounts.SVM) == 37


@pytest.mark.parametrize(
    "lost",
    ["0x" + "0" * 40, "0x" + "0" * 39 + "1", "0x000000000000000000000000000000000000dEaD", "0x" + "9" * 0 + "e" * 40],
)
def test_nobody_is_paid_at_an_address_that_nobody_holds(lost: str) -> None:
    assert fault(to_checksum_address(lost))


def test_no_token_contract_is_paid() -> None:
    tokens = [rail.main for rail in ALL if rail.main.asset != "native"]
    for place in tokens:
        address = to_checksum_address(place.asset) if place.family is EVM else place.asset
        assert fault(address, family=place.family), address


@pytest.mark.parametrize("contract", [PERMIT2, PERMIT2_PROXY])
def test_no_contract_that_payments_pass_through_is_paid(contract: str) -> None:
    assert "contract" in fault(contract)


def test_the_placeholder_is_for_simulated_rails_alone() -> None:
    assert fault(SIMULATED_SELLER, main=False, simulated=True) == ""
    for main in (True, False):
        assert "payments init" in fault(SIMULATED_SELLER, main=main)


def test_solana_addresses_are_keys_of_32_bytes() -> None:
    key = base58(
        Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"a seller").digest()).public_key().public_bytes_raw()
    )
    assert fault(key, family=SVM) == ""
    assert "bytes" in fault(key[:-4], family=SVM)
    off = next(
        base58(bytes([first]) + bytes(30) + b"\1")
        for first in range(2, 40)
        if "point" in fault(base58(bytes([first]) + bytes(30) + b"\1"), family=SVM)
    )
    assert "wallet" in fault(off, family=SVM, main=False)
    assert "lost" in fault("1nc1nerator11111111111111111111111111111111", family=SVM) or "point" in fault(
        "1nc1nerator11111111111111111111111111111111", family=SVM
    )
