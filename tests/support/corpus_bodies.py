"""Bodies of the corpus and where they end: lengths, codings, chunks, pipelines, and damaged valid ones."""

import random
from collections.abc import Iterator
from functools import partial
from itertools import product

from support.payloads import EITHER, HIDDEN, HOST, REFUSED, TAKEN, WAITED, Payload, chunks, request

SEED = 9112
MUTANTS = 500


def lengths(path: bytes) -> Iterator[Payload]:
    """Lengths that are none, or two."""
    build = partial(request, b"POST", path)
    wrong = (
        b"+5 -5 0x5 5.0 5e0 1e1 5, 5,5 5,6 5;5 '5' \"5\" five 5a a5 0b1 ,5 ,5, 5_0 \xd9\xa5 18446744073709551616"
        b" 18446744073709551621 9999999999999999999999999999 36893488147419103237"
    ).split(b" ")
    for value in (*wrong, b"", b"5 5", b"5\t5", b"5\x00", b"\x0b5", b"5\x0c"):
        yield Payload(
            f"length {value!r}",
            build(fields=[HOST, b"Content-Length: " + value], body=b"hello" + HIDDEN),
            REFUSED,
            ("POST",),
        )
    for first, second in product((b"5", b"6", b"0", b"41"), repeat=2):
        lines = [HOST, b"Content-Length: " + first, b"content-length: " + second]
        yield Payload(f"lengths {first!r} {second!r}", build(fields=lines, body=b"hello" + HIDDEN), REFUSED, ("POST",))
    for size in (0, 1, 5, len(HIDDEN), 5000, 70_000):
        body = (HIDDEN * (size // len(HIDDEN) + 1))[:size]
        for spelled in (
            b"Content-Length: %d",
            b"content-length:%d",
            b"CONTENT-LENGTH:  %d  ",
            b"Content-Length: 000%d",
        ):
            yield Payload(f"{spelled % size!r}", build(fields=[HOST, spelled % size], body=body), TAKEN, ("POST",))
        yield Payload(f"GET with {size} bytes", request(fields=[HOST, b"Content-Length: %d" % size], body=body), EITHER)
    for size in (6, 1000, 2**31, 2**32 + 5, 2**63 - 1):
        yield Payload(
            f"{size} bytes that do not come",
            build(fields=[HOST, b"Content-Length: %d" % size], body=b"hello"),
            WAITED,
            ("POST",),
        )
    for name in (b"Content_Length", b"Content-Length-", b"X-Content-Length", b"Content.Length"):
        yield Payload(f"{name.decode()}: 5", build(fields=[HOST, name + b": 5"]), TAKEN, ("POST",))


SOUND_CODINGS = (b"chunked", b"Chunked", b"CHUNKED", b" chunked", b"\tchunked", b"chunked ")


WRONG_CODINGS = (
    b"identity",
    b"gzip",
    b"gzip, chunked",
    b"chunked, gzip",
    b"chunked, chunked",
    b"chunked, identity",
    b"identity, chunked",
    b"xchunked",
    b"chunkedx",
    b"chunk",
    b"",
    b"chunked,",
    b",chunked",
    b", chunked",
    b"chunked;",
    b"chunked;q=1",
    b'"chunked"',
    b"'chunked'",
    b"\x0bchunked",
    b"\x0cchunked",
    b"chunked\x0b",
    b"chunked\x00",
    b"\x00chunked",
    b"chun ked",
    b"chun\tked",
    b"cow",
    b"chunked cow",
    b"\xa0chunked",
    b"chunked\xa0",
    b"x-chunked",
    b"chu\xffnked",
    b"deflate, chunked",
)


def codings(path: bytes) -> Iterator[Payload]:
    """Transfer codings beside lengths: the requests that two servers read in two ways."""
    for value, place in product((*SOUND_CODINGS, *WRONG_CODINGS), ("alone", "before", "behind")):
        lines = [b"Transfer-Encoding: " + value]
        lines = {"alone": lines, "before": [*lines, b"Content-Length: 6"], "behind": [b"Content-Length: 6", *lines]}[
            place
        ]
        verdict = TAKEN if value in SOUND_CODINGS and place == "alone" else REFUSED
        body = chunks(b"hello") if verdict is TAKEN else b"0\r\n\r\nX" + HIDDEN
        yield Payload(
            f"coding {value!r} {place}", request(b"POST", path, fields=[HOST, *lines], body=body), verdict, ("POST",)
        )
        old = request(b"POST", path, b"HTTP/1.0", [HOST, *lines], body)
        yield Payload(f"coding {value!r} {place} in HTTP/1.0", old, EITHER if verdict is TAKEN else REFUSED, ("POST",))
    tab = request(b"POST", path, fields=[HOST, b"Transfer-Encoding: chunked\t"], body=chunks(b"hello"))
    yield Payload("a tab behind the coding", tab, EITHER, ("POST",))
    for name, method in product(
        (
            b"Transfer-Encoding ",
            b"Transfer-Encoding\t",
            b" Transfer-Encoding",
            b"Transfer-Encoding\x00",
            b"Transfer Encoding",
        ),
        (b"GET", b"POST"),
    ):
        lines = [HOST, b"Content-Length: 6", name + b": chunked"]
        yield Payload(
            f"{method.decode()} {name!r}",
            request(method, path, fields=lines, body=b"0\r\n\r\nX" + HIDDEN),
            REFUSED,
            (method.decode(),),
        )
    for name in (b"Transfer_Encoding", b"X-Transfer-Encoding", b"TransferEncoding", b"Transfer-Encodin"):
        lines = [HOST, b"Content-Length: 6", name + b": chunked"]
        yield Payload(f"{name.decode()}", request(b"POST", path, fields=lines, body=b"0\r\n\r\nX"), TAKEN, ("POST",))
    for first, second in product((b"chunked", b"identity", b"gzip", b""), repeat=2):
        lines = [HOST, b"Transfer-Encoding: " + first, b"transfer-encoding: " + second]
        yield Payload(
            f"codings {first!r} {second!r}",
            request(b"POST", path, fields=lines, body=b"0\r\n\r\n" + HIDDEN),
            REFUSED,
            ("POST",),
        )


def chunked(path: bytes) -> Iterator[Payload]:
    """Chunks: their sizes, extensions, ends and trailers."""
    head = request(b"POST", path, fields=[HOST, b"Transfer-Encoding: chunked"])
    sizes = (
        b"-5 +5 0x5 5h g 5,0 5.0 '5' \"5\" _5 5_ \xd9\xa5 10000000000000000 ffffffffffffffff fffffffffffffffff"
        b" 8000000000000005 100000000000000000000000005"
    ).split(b" ")
    for size in (*sizes, b"", b" 5", b"\t5", b"5 5", b"5\x00", b"\x0b5", b"\n5", b"\r5"):
        yield Payload(
            f"chunk size {size!r}",
            head + size + b"\r\nhello\r\n0\r\n\r\n" + HIDDEN,
            REFUSED if size != b"5 5" else EITHER,
            ("POST",),
        )
    for size in (b"5", b"05", b"0005", b"5;a", b"5;a=b", b'5;a="b"', b'5;a="b;c"', b"5;a=b;c=d"):
        yield Payload(f"chunk line {size!r}", head + size + b"\r\nhello\r\n0\r\n\r\n", TAKEN, ("POST",))
    for line in (
        b"5;",
        b"5;;",
        b"5;=",
        b"5 ;a",
        b"5; a",
        b'5;a="b',
        b"5;a\x00",
        b"5;a\r",
        b"5\r",
        b"5;a=b\n",
        b"5;" + b"a" * 20_000,
        b"5;\xff",
        b"5 ",
    ):
        yield Payload(f"chunk line {line[:20]!r}", head + line + b"\r\nhello\r\n0\r\n\r\n", EITHER, ("POST",))
    broken = (
        b"5\nhello\r\n0\r\n\r\n",
        b"5\r\nhello0\r\n\r\n",
        b"5\r\nhelloX\r\n0\r\n\r\n",
        b"5\r\nhell\r\n0\r\n\r\n",
        b"5\r\nhelloo\r\n0\r\n\r\n",
        b"5\r\nhello\r\nX\r\n\r\n",
        b"5\r\nhello\n0\r\n\r\n",
        b"5\r\nhello\r0\r\n\r\n",
        b"hello\r\n0\r\n\r\n",
    )
    for body in broken:
        yield Payload(f"chunks {body!r}", head + body + HIDDEN, REFUSED, ("POST",))


def trailing(path: bytes) -> Iterator[Payload]:
    """Trailers behind chunks, and chunks of several sizes."""
    head = request(b"POST", path, fields=[HOST, b"Transfer-Encoding: chunked"])
    trailers = (
        b"X: 1\r\n",
        b"X: 1\r\nY: 2\r\n",
        b"Content-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Host: y\r\n",
        b"X:\r\n",
    )
    for trailer in trailers:
        yield Payload(
            f"trailers {trailer!r}",
            head + chunks(b"hello", trailers=trailer),
            EITHER if len(trailer) > 14 else TAKEN,
            ("POST",),
        )
    for trailer in (
        b"X\r\n",
        b" X: 1\r\n",
        b"X : 1\r\n",
        b"X: 1\r\n more\r\n",
        b"X: \x00\r\n",
        b"X: 1\nY: 2\r\n",
        b": 1\r\n",
        b"X: 1\r\r\n",
    ):
        yield Payload(f"trailers {trailer!r}", head + chunks(b"hello", trailers=trailer) + HIDDEN, REFUSED, ("POST",))
    for count in (100, 5000):
        yield Payload(f"{count} trailers", head + chunks(b"hello", trailers=b"a:b\r\n" * count), EITHER, ("POST",))
    for part in (1, 7, 1000):
        yield Payload(f"chunks of {part}", head + chunks(*[b"x" * part] * 50), TAKEN, ("POST",))
    yield Payload("a request in chunks", head + chunks(HIDDEN, HIDDEN), TAKEN, ("POST",))
    yield Payload("an end that does not come", head + b"5\r\nhello\r\n", WAITED, ("POST",))


def pipelines(path: bytes) -> Iterator[Payload]:
    """Sound requests behind each other, and one that ends the connection among them."""
    kinds: dict[str, tuple[str, bytes]] = {
        "get": ("GET", request()),
        "head": ("HEAD", request(b"HEAD")),
        "length": ("POST", request(b"POST", path, fields=[HOST, b"Content-Length: %d" % len(HIDDEN)], body=HIDDEN)),
        "chunks": ("POST", request(b"POST", path, fields=[HOST, b"Transfer-Encoding: chunked"], body=chunks(HIDDEN))),
        "upgrade": ("GET", request(fields=[HOST, b"Connection: Upgrade", b"Upgrade: foo/2"])),
        "absolute": ("GET", request(target=b"http://x/a")),
        "unknown": ("BREW", request(b"BREW")),
    }
    for names in (*product(kinds, repeat=2), *product(kinds, repeat=3)):
        requests = tuple(kinds[name][0] for name in names)
        verdict = EITHER if "unknown" in names else TAKEN
        yield Payload(" ".join(names), b"".join(kinds[name][1] for name in names), verdict, requests)
    for field in (b"Connection: close", b"Connection: Close", b"Connection: keep-alive, close"):
        ended = request(fields=[HOST, field])
        yield Payload(f"{field.decode()} and a request behind", ended + HIDDEN, EITHER)
    for field in (
        b"Expect: 100-continue",
        b"Expect: 100-Continue",
        b"Expect: else",
        b"Connection: Host",
        b"Connection: x, y",
        b"Upgrade: websocket",
        b"TE: trailers",
        b"Keep-Alive: 1",
        b"Proxy-Connection: close",
        b"Connection:",
        b"Connection: ,",
    ):
        for name, message in {
            "get": request(fields=[HOST, field]),
            "post": request(b"POST", path, fields=[HOST, field, b"Content-Length: 5"], body=b"hello"),
        }.items():
            yield Payload(f"{field.decode()} {name}", message, EITHER, ("GET" if name == "get" else "POST",))


def prefixes(path: bytes) -> Iterator[Payload]:
    """Requests that end too early, after each of their bytes."""
    whole = (
        request(fields=[HOST, b"Accept: */*"]),
        request(b"POST", path, fields=[HOST, b"Content-Length: 5"], body=b"hello"),
        request(
            b"POST", path, fields=[HOST, b"Transfer-Encoding: chunked"], body=chunks(b"hello", trailers=b"X: 1\r\n")
        ),
    )
    for part in whole:
        for size in range(1, len(part)):
            yield Payload(f"{size} bytes of {part[:6]!r}… {len(part)}", part[:size], WAITED, ("POST", "POST"))


def mutants(path: bytes) -> Iterator[Payload]:
    """Sound requests with a few bytes changed, lost, doubled or moved."""
    chance = random.Random(SEED)  # noqa: S311  (the same corpus every time)
    origins = [
        request(b"POST", path, fields=[HOST, framing, b"X-A: 1"], body=body)
        for framing, body in (
            (b"Content-Length: 5", b"hello"),
            (b"Transfer-Encoding: chunked", chunks(b"hello", b"there")),
        )
    ]
    pieces = [
        b"\r\n",
        b"\n",
        b"\r",
        b"\0",
        b" ",
        b"\t",
        b":",
        b",",
        b";",
        b"0",
        b"\x80",
        b"chunked",
        b"Content-Length: 0\r\n",
        b"0\r\n\r\n",
        b"HTTP/1.1",
        b"Host: y\r\n",
    ]
    for number in range(MUTANTS):
        data = bytearray(chance.choice(origins))
        for _ in range(chance.randint(1, 3)):
            at, size = chance.randrange(len(data)), chance.randint(0, 4)
            piece = chance.choice([*pieces, bytes([chance.randrange(256)])])
            data[at : at + size] = chance.choice([piece, b"", bytes(data[at : at + size]) * 2])
        yield Payload(f"mutant {number}", bytes(data), WAITED, ("POST", "POST", "POST"))
