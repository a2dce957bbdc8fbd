"""Images of a folder: sizes read from real files of each format, and warnings about those that lack something."""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from citepress.app.registry import table
from citepress.archive.assemble import check
from citepress.content import images, pages
from citepress.content.cache import ReadCache
from citepress.content.folder import read
from citepress.content.images import Size, is_image, size_of
from citepress.contract.fault import BROKEN_LINK, IMAGE, ORPHAN
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from support.folder import NOW, SVG, checked, fault_places, folder, post


def png(width: int, height: int) -> bytes:
    """A black PNG."""
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes((width + 1) * height))),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def jpeg(width: int, height: int) -> bytes:
    """The head of a JPEG."""
    return (
        b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x0b\x08"
        + struct.pack(">HH", height, width)
        + b"\x01\x01\x11\x00\xff\xd9"
    )


def gif(width: int, height: int) -> bytes:
    """The head of a GIF."""
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x80\x00\x00" + bytes(6) + b";"


def webp(width: int, height: int) -> bytes:
    """The head of an extended WebP."""
    data = b"\x00\x00\x00\x00" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def _box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body) + 8) + name + body


def avif(width: int, height: int) -> bytes:
    """The boxes of an AVIF that tell of its size."""
    side = _box(b"ispe", struct.pack(">III", 0, width, height))
    pixels = _box(b"iprp", _box(b"ipco", side) + _box(b"ipma", struct.pack(">IIHBB", 0, 1, 1, 1, 1)))
    meta = _box(b"meta", bytes(4) + _box(b"pitm", struct.pack(">IH", 0, 1)) + pixels)
    return _box(b"ftyp", b"avif" + bytes(4) + b"avifmif1") + meta


def svg(width: int, height: int) -> bytes:
    """An SVG."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"/>'.encode()


@pytest.mark.parametrize("encode", [png, jpeg, gif, webp, avif, svg])
def test_the_size_is_read_from_every_format(encode: Callable[[int, int], bytes]) -> None:
    assert size_of(f"/a.{encode.__name__}", encode(640, 48)) == (640, 48)
    assert is_image(f"/A.{encode.__name__.upper()}")


@pytest.mark.parametrize(
    ("head", "size"),
    [
        ('width="10mm" height="5mm"', (38, 19)),
        ('viewBox="0 0 24 12"', (24, 12)),
        ('viewBox="0,0,24,12" width="100%"', (24, 12)),
        ('viewBox="0 0 24 12" width="48"', (48, 24)),
        ('viewBox="0 0 24 12" height="48"', (96, 48)),
        ('viewBox="0 0 0 0"', None),
        ('viewBox="a b c d"', None),
        ('width="0" height="4"', None),
        ('width="1000000" height="4"', None),
        ("", None),
    ],
)
def test_an_svg_tells_its_size_or_its_view(head: str, size: Size | None) -> None:
    inside = b'<rect stroke-width="3" width="1" height="1"/></svg>'
    assert size_of("a.svg", f'<!-- a --><svg xmlns="http://www.w3.org/2000/svg" {head}>'.encode() + inside) == size


@pytest.mark.parametrize("encode", [png, jpeg, gif, webp, avif, svg])
def test_what_is_cut_short_or_something_else_has_no_size(encode: Callable[[int, int], bytes]) -> None:
    name, whole = f"a.{encode.__name__}", encode(640, 48)
    for data in (b"", b"<html/>", b"\x00" * 64, *(whole[:cut] for cut in (1, 5, 8))):
        assert size_of(name, data) is None


def test_an_image_without_words_without_a_file_or_without_a_size_is_told(tmp_path: Path) -> None:
    body = (
        "![](/img/a.svg) ![ ](/img/a.svg)\n![what `it` is](/img/a.svg) [![*x*](/img/a.svg)](/posts/)\n![page](/posts/)"
        " ![][ref]\n\n[ref]: /img/a.svg"
    )
    files = {
        "content/posts/one.md": post(body),
        "static/img/a.svg": SVG,
        "static/img/b.png": b"no image",
        "static/c.txt": "x",
    }
    archive, faults = checked(folder(tmp_path, files))
    mute = "the image has no alternative text"
    assert archive is not None, "these are warnings"
    assert [
        (fault.place.line - _body_line(files), fault.place.column, fault.message)
        for fault in faults
        if fault.code is IMAGE and fault.place.line
    ] == [
        (0, 1, mute),
        (0, 17, mute),
        (2, 1, "'/posts/' is not an image"),
        (2, 18, mute),
    ]
    assert [fault.message for fault in faults if fault.place.file == "static/img/b.png"] == [
        "its width and height cannot be read"
    ]
    assert "static/img/b.png:0:0 CP044" in fault_places(faults)


def _body_line(files: dict[str, str | bytes]) -> int:
    return str(files["content/posts/one.md"]).split("\n").index("![](/img/a.svg) ![ ](/img/a.svg)") + 1


def test_an_image_that_is_not_there_is_a_broken_link(tmp_path: Path) -> None:
    files = {"content/posts/one.md": post("![a](/img/none.png)\n\n![b](none.png)"), "static/img/a.svg": SVG}
    _, faults = check(read(folder(tmp_path, files), KINDS, REGISTRIES, moment=NOW), KINDS, REGISTRIES, table().built_in)
    assert [(fault.code, fault.message.split()[0]) for fault in faults if fault.code is not ORPHAN] == [
        (BROKEN_LINK, "'/img/none.png'"),
        (BROKEN_LINK, "'/posts/one/none.png'"),
    ]


def test_an_image_is_measured_once_as_long_as_its_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def count(path: str, data: bytes) -> Size | None:
        measured.append(path)
        return images.size_of(path, data)

    monkeypatch.setattr(pages, "size_of", count)
    root, cache = folder(tmp_path, {"static/a.png": png(3, 4), "static/b.txt": "b"}), ReadCache()
    for _ in range(3):
        content = read(root, KINDS, REGISTRIES, moment=NOW, cache=cache)
    assert (measured, content.images) == (["static/a.png"], {"/a.png": (3, 4)})
    folder(root, {"static/a.png": png(30, 4)})
    assert read(root, KINDS, REGISTRIES, moment=NOW, cache=cache).images == {"/a.png": (30, 4)}
