"""Base 58 and the points of ed25519: how Solana spells addresses, and which of them can be a public key; pure."""

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P


def base58(data: bytes) -> str:
    """Bytes in base 58."""
    number, text = int.from_bytes(data), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return ALPHABET[0] * (len(data) - len(data.lstrip(b"\0"))) + text


def unbase58(text: str) -> bytes:
    """Bytes from base 58. Raises ``ValueError``."""
    number = 0
    for letter in text:
        number = number * 58 + ALPHABET.index(letter)
    zeros = len(text) - len(text.lstrip(ALPHABET[0]))
    return b"\0" * zeros + number.to_bytes((number.bit_length() + 7) // 8)


def is_point(data: bytes) -> bool:
    """Whether 32 bytes are a point of ed25519: whether x² has a root."""
    y = int.from_bytes(data, "little") & ((1 << 255) - 1)
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    return square == 0 or pow(square, (_P - 1) // 2, _P) == 1
