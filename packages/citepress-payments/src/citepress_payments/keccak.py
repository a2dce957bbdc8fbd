"""Keccak-256 as Ethereum uses it, for the checksums of addresses: hashlib has SHA-3 alone, whose padding is another.

``citepress check`` must find a mistyped address in an installation without the chain libraries; drivers use those.
"""

_RATE = 136
"""Bytes of the state that a block of input fills."""
_LANES = 5
_MASK = (1 << 64) - 1
_ROUNDS = 24


def _constants() -> tuple[int, ...]:
    """The round constants, from the linear-feedback shift register of FIPS 202 (3.2.5)."""
    register, constants = 1, []
    for _ in range(_ROUNDS):
        constant = 0
        for power in range(7):
            if register & 1:
                constant |= 1 << ((1 << power) - 1)
            register = (register << 1) ^ (0x171 if register & 0x80 else 0)
        constants.append(constant)
    return tuple(constants)


_CONSTANTS = _constants()


def keccak256(data: bytes) -> bytes:
    """The 32-byte digest."""
    padded = bytearray(data) + b"\1" + bytes(-(len(data) + 1) % _RATE)
    padded[-1] |= 0x80
    state = [0] * (_LANES * _LANES)
    for start in range(0, len(padded), _RATE):
        for lane in range(_RATE // 8):
            state[lane] ^= int.from_bytes(padded[start + 8 * lane : start + 8 * lane + 8], "little")
        state = _permuted(state)
    return b"".join(lane.to_bytes(8, "little") for lane in state[:4])


def _permuted(state: list[int]) -> list[int]:
    """Keccak-f[1600]; lane (x, y) is at ``x + 5 * y``."""
    for constant in _CONSTANTS:
        columns = [state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20] for x in range(_LANES)]
        mixed = [columns[(x - 1) % 5] ^ _rotated(columns[(x + 1) % 5], 1) for x in range(_LANES)]
        state = [lane ^ mixed[place % 5] for place, lane in enumerate(state)]
        state = _moved(state)
        state = [
            state[i] ^ (~state[i - i % 5 + (i + 1) % 5] & state[i - i % 5 + (i + 2) % 5])
            for i in range(_LANES * _LANES)
        ]
        state[0] ^= constant
    return state


def _moved(state: list[int]) -> list[int]:
    """Rho and pi: each lane is rotated and goes to another place."""
    moved = list(state)
    x, y = 1, 0
    for step in range(_ROUNDS):
        target = (y, (2 * x + 3 * y) % 5)
        moved[target[0] + 5 * target[1]] = _rotated(state[x + 5 * y], (step + 1) * (step + 2) // 2)
        x, y = target
    return moved


def _rotated(lane: int, by: int) -> int:
    by %= 64
    return (lane << by | lane >> (64 - by)) & _MASK
