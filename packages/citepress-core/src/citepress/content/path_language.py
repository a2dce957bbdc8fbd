"""The languages that the path of a file names."""

import re
from collections.abc import Iterator

from citepress.content.files import markdown_stem

_CODES = frozenset(
    """
    aa af am ar as az be bg bn bo bs ca co cs cy da de dv dz el en eo es et eu fa fi fo fr fy ga gd gl gu ha he hi hr
    hu hy id ig is it ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl nb nn no oc or pa pl
    ps pt qu rm ro ru rw sa sc sd si sk sl sn so sq sr st su sv sw ta te tg th ti tk tl tn to tr tt ug uk ur uz vi wo
    xh yi yo zh zu
    """.split()  # noqa: SIM905  (one word a line would fill a page)
)
"""Languages of ISO 639-1 that sites are written in."""
_COUNTRIES = dict(re.findall(r"(\w+)=(\w+)", "cn=zh jp=ja kr=ko gr=el cz=cs dk=da se=sv ua=uk vn=vi"))
"""Codes of countries that name folders of the languages which are written there."""
_TAG = re.compile(r"([a-z]{2})(?:[-_]([A-Za-z]{4}|[A-Za-z]{2}))?")


def tags_in(path: str) -> Iterator[str]:
    """The tags of languages that a path names: that of the file's name, then those of its folders from the inner on."""
    *folders, name = markdown_stem(path).split("/")
    _, dot, suffix = name.rpartition(".")
    for part in ([suffix] if dot else []) + folders[::-1]:
        if tag := tag_of(part):
            yield tag


def tag_of(part: str) -> str:
    """The tag that a part of a path is; empty where it is none."""
    match = _TAG.fullmatch(part)
    if match is None:
        return ""
    language = _COUNTRIES.get(match[1], match[1])
    further = match[2] or ""
    region = further.title() if len(further) > 2 else further.upper()  # noqa: PLR2004  (a script has four letters)
    return (f"{language}-{region}" if region else language) if language in _CODES else ""


def path_without_language(path: str, language: str) -> str:
    """The path of a Markdown file without its ending and without the parts that name its language."""
    own = language.partition("-")[0].lower()
    *folders, name = markdown_stem(path).split("/")
    stem, _, suffix = name.rpartition(".")
    parts = [part for part in folders if tag_of(part).partition("-")[0] != own]
    return "/".join([*parts, stem if stem and tag_of(suffix).partition("-")[0] == own else name])
