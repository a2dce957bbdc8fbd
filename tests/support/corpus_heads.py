"""Request lines and header fields of the corpus, sound and not."""

from collections.abc import Iterator
from itertools import product

from support.payloads import EITHER, END, HOST, REFUSED, TAKEN, TOKEN, Payload, request


def methods(path: bytes) -> Iterator[Payload]:
    """Every sort of method, and every byte in one."""
    del path
    verbs = b"GET OPTIONS PUT DELETE PATCH TRACE PROPFIND MKCOL LOCK REPORT SEARCH PURGE".split()
    verbs += b"get Get X A-B BREW M-SEARCH".split()
    for method in verbs:
        yield Payload(f"method {method.decode()}", request(method), TAKEN, (method.decode(),))
    for byte in range(256):
        char = bytes([byte])
        bare = char in b"\r\n" or char == b" "
        verdict = EITHER if char in TOKEN or bare else REFUSED
        yield Payload(f"byte {byte:02x} in a method", request(b"GE" + char + b"T"), verdict)
    for size in (20, 64, 65, 1000, 9000):
        yield Payload(f"method of {size} bytes", request(b"M" * size), EITHER)
    yield Payload("no method", b" /a HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED)
    yield Payload("CONNECT", request(b"CONNECT", b"x:443"), EITHER, ("CONNECT",))
    yield Payload("PRI", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", REFUSED)


ODD_TARGETS = (
    b"http://",
    b"http:///a",
    b"http://u@x/a",
    b"http://x:y/a",
    b"http://[::1/a",
    b"//x/a",
    b"ftp://x/a",
    b"x:443",
    b"a",
    b"\\a",
    b"http:a",
)


def targets(path: bytes) -> Iterator[Payload]:
    """Forms of targets, and every byte in one."""
    del path
    for byte in range(256):
        char = bytes([byte])
        verdict = (
            TAKEN
            if byte in range(0x21, 0x7F) and char not in b'#<>"\\^`{|}%'
            else REFUSED
            if byte < 0x21 or byte == 0x7F
            else EITHER
        )
        yield Payload(f"byte {byte:02x} in a target", request(target=b"/a" + char + b"b"), verdict)
    for target in (
        b"/",
        b"//",
        b"/../..",
        b"/%2e%2e/",
        b"/a?b#c",
        b"/a;b=c",
        b"/%00",
        b"/%",
        b"/%zz",
        b"/a//b",
        b"?",
        b"*",
        b"http://x/a",
        b"http://x",
    ):
        yield Payload(f"target {target.decode()}", request(target=target), EITHER)
    for target, method in product(ODD_TARGETS, (b"GET", b"POST", b"OPTIONS")):
        yield Payload(f"{method.decode()} {target.decode()}", request(method, target), EITHER, (method.decode(),))
    for size in (8000, 8192, 9000, 33_000, 70_000):
        yield Payload(f"target of {size} bytes", request(target=b"/" + b"a" * size), EITHER)
    for gap in (b"  ", b"\t", b" \t", b"\x0b", b"\x0c", b"\xa0", b"\r"):
        yield Payload(f"{gap!r} before the target", b"GET" + gap + b"/a HTTP/1.1\r\nHost: x\r\n\r\n", EITHER)
        yield Payload(f"{gap!r} before the version", b"GET /a" + gap + b"HTTP/1.1\r\nHost: x\r\n\r\n", EITHER)
    yield Payload("two targets", b"GET /a /b HTTP/1.1\r\nHost: x\r\n\r\n", REFUSED)


def versions(path: bytes) -> Iterator[Payload]:
    """Versions and protocols, with what else may stand in the line."""
    del path
    wrong = (
        b"HTTP/0.9 HTTP/1.2 HTTP/1.9 HTTP/2.0 HTTP/2 HTTP/3.0 HTTP/9.9 HTTP/1 HTTP/ HTTP HTTP/1. HTTP/.1 HTTP/1.10"
        b" HTTP/01.1 HTTP/1.01 HTTP/11 HTTP/1,1 HTTP/1.1x HTTP/x.1 HTTP/1.x HTTP/-1.1 HTTP/+1.1 http/1.1 Http/1.1"
        b" HTTPS/1.1 HTP/1.1 RTSP/1.0 RTSP/1.1 ICE/1.0 SIP/2.0 FTP/1.1 XHTTP/1.1 /1.1 1.1"
    ).split()
    for version, method in product(wrong, (b"GET", b"POST", b"OPTIONS", b"DESCRIBE", b"SOURCE")):
        yield Payload(
            f"{method.decode()} in {version.decode()}", request(method, version=version), REFUSED, (method.decode(),)
        )
    for line in (
        b"GET /a",
        b"GET",
        b"/a",
        b"GET /a HTTP/1.1 ",
        b"GET /a HTTP/1.1 x",
        b" GET /a HTTP/1.1",
        b"GET /a HTTP/1.1\t",
        b"GET /a  HTTP/1.1",
    ):
        yield Payload(f"line {line.decode()!r}", line + END + HOST + END + END, EITHER)
    yield Payload("HTTP/0.9", b"GET /a\r\n\r\n", REFUSED)
    for ends in (b"\r\n", b"\r\n\r\n", b"\r\n" * 20, b"\n", b"\n\n", b"\r", b"\r\r\n"):
        yield Payload(
            f"{ends!r} before the line",
            ends + request(),
            TAKEN if set(ends) == set(b"\r\n") and ends == END * (len(ends) // 2) else EITHER,
        )
    for junk in (
        b"\x16\x03\x01\x02\x00\x01\x00\x01",
        b"\x00" * 16,
        b"\xff" * 16,
        b"SSH-2.0-x\r\n",
        b"EHLO x\r\n",
        b"{}\r\n\r\n",
        b"\x05\x01\x00",
    ):
        yield Payload(f"{junk!r}", junk + END + END, REFUSED)


SOUND_HOSTS = (
    b"x",
    b"x:80",
    b"x:",
    b"a-b.example",
    b"192.0.2.1:8000",
    b"[::1]",
    b"[2001:db8::1]:443",
    b"XN--BCHER-KVA.example",
)


WRONG_HOSTS = (
    b"",
    b" ",
    b"a b",
    b"a/b",
    b"a@b",
    b"a:b",
    b"a:80:80",
    b"[::1",
    b"::1]",
    b"a?b",
    b"a#b",
    b"a\\b",
    b"<a>",
    b'"a"',
    b"a,b",
    b"\xff",
    b"a\x00b",
    b"http://a",
)


def hosts(path: bytes) -> Iterator[Payload]:
    """Host fields: none, one, several, SOUND_HOSTS and not."""
    del path
    for host in SOUND_HOSTS:
        yield Payload(f"host {host.decode()}", request(fields=[b"Host: " + host]), TAKEN)
    for host, target in product(WRONG_HOSTS, (b"/a", b"http://x/a")):
        yield Payload(f"host {host!r} {target.decode()}", request(target=target, fields=[b"Host: " + host]), REFUSED)
    spelled = (b"Host", b"host", b"HOST", b"hOsT")
    for first, second in product(spelled, spelled):
        for value in (b"x", b"y"):
            yield Payload(
                f"{first!r} {second!r} {value!r}", request(fields=[first + b": x", second + b": " + value]), REFUSED
            )
    for target, method in product((b"/a", b"*", b"http://x/a", b"/"), (b"GET", b"POST", b"HEAD", b"OPTIONS")):
        yield Payload(
            f"{method.decode()} {target.decode()} without a host",
            request(method, target, fields=[]),
            REFUSED,
            (method.decode(),),
        )
    yield Payload("HTTP/1.0 without a host", request(version=b"HTTP/1.0", fields=[]), EITHER)
    yield Payload("HTTP/1.0 with two hosts", request(version=b"HTTP/1.0", fields=[HOST, HOST]), REFUSED)


def fields(path: bytes) -> Iterator[Payload]:
    """Every byte in names and values, spaces where they may not be, folded lines."""
    del path
    for byte in range(256):
        char = bytes([byte])
        named = TAKEN if char in TOKEN else EITHER if char == b":" else REFUSED
        yield Payload(f"byte {byte:02x} in a name", request(fields=[HOST, b"X" + char + b"Y: 1"]), named)
        valued = REFUSED if char in b"\r\n\x00" else EITHER if byte < 0x20 or byte == 0x7F else TAKEN
        yield Payload(f"byte {byte:02x} in a value", request(fields=[HOST, b"X: a" + char + b"b"]), valued)
        yield Payload(
            f"byte {byte:02x} before a name", request(fields=[HOST, char + b"X: 1"]), named if char != b":" else REFUSED
        )
    for gap in (b" ", b"\t", b"  ", b" \t", b"\x0b", b"\r", b"\x00"):
        yield Payload(f"{gap!r} before the colon", request(fields=[HOST, b"X" + gap + b": 1"]), REFUSED)
        yield Payload(f"{gap!r} before the first field", request(fields=[gap + b"Host: x"]), REFUSED)
        yield Payload(f"folded with {gap!r}", request(fields=[HOST, b"X: 1", gap + b"more"]), REFUSED)
        yield Payload(f"host folded with {gap!r}", request(fields=[b"Host:", gap + b"x"]), REFUSED)
    for line in (b"nothing", b":", b": 1", b"=", b"\xef\xbb\xbfX: 1", b"X", b"X 1"):
        yield Payload(f"line {line!r}", request(fields=[HOST, line]), REFUSED)
    for count in (50, 99, 100, 1000, 10_000):
        yield Payload(f"{count} fields", request(fields=[HOST, *[b"a:b"] * count]), TAKEN if count < 100 else EITHER)
    for size in (8000, 31_000, 33_000, 65_000, 200_000):
        yield Payload(f"field of {size} bytes", request(fields=[HOST, b"X: " + b"a" * size]), EITHER)


def line_ends(path: bytes) -> Iterator[Payload]:
    """Every line end that is none, in every place of a request."""
    ends = {
        "lf": b"\n",
        "cr": b"\r",
        "crcrlf": b"\r\r\n",
        "lfcr": b"\n\r",
        "nul": b"\0\r\n",
        "space": b" \r\n",
        "tab": b"\t\r\n",
        "vt": b"\x0b\r\n",
    }
    lines = [b"POST %b HTTP/1.1" % path, HOST, b"X-A: 1", b"Content-Length: 5", b""]
    for name, end in ends.items():
        for places in product((False, True), repeat=len(lines)):
            if any(places):
                head = b"".join(line + (end if wrong else END) for line, wrong in zip(lines, places, strict=True))
                verdict = (
                    EITHER
                    if name in ("space", "tab")
                    else REFUSED
                    if name in ("lf", "nul") and not places[-1]
                    else EITHER
                )
                shown = "".join("x" if wrong else "." for wrong in places)
                yield Payload(f"{name} at {shown}", head + b"hello", verdict, ("POST", "POST"))
