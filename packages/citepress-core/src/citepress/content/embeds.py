"""Players and embedded pages in raw HTML, and the links that stand in for them."""

import re
from collections.abc import Mapping

PLAYERS = {"iframe": "Embedded page", "video": "Video", "audio": "Audio", "embed": "Embedded page"}
"""Elements that play or embed something, and the words of their links."""
_VIDEOS = (
    (
        re.compile(r"(?:https?:)?//(?:www\.)?(?:youtube(?:-nocookie)?\.com/embed/|youtu\.be/)([\w-]{1,40})"),
        "https://www.youtube.com/watch?v={}",
    ),
    (re.compile(r"(?:https?:)?//player\.vimeo\.com/video/(\d{1,20})"), "https://vimeo.com/{}"),
)


def embedded(name: str, attributes: Mapping[str, str], source: str = "") -> tuple[str, str]:
    """The public address of what an element plays or embeds, and the words for it; nothing where it has none.

    ``source`` is the address that an element inside it gives.
    """
    url = attributes.get("src") or attributes.get("data-src") or source
    if name not in PLAYERS or not url:
        return "", ""
    if url.startswith("//"):
        url = f"https:{url}"
    public = _video(url)
    words = " ".join(attributes.get("title", "").split()) or PLAYERS["video" if public else name]
    return public or url.strip(), words


def embedded_video(name: str, attributes: Mapping[str, str]) -> tuple[str, str]:
    """The same of a video of a service whose public addresses are known; nothing for any other page."""
    return embedded(name, attributes) if name == "iframe" and _video(attributes.get("src", "")) else ("", "")


def _video(url: str) -> str:
    """The public address of a video; nothing for any other address."""
    matches = ((pattern.match(url), public) for pattern, public in _VIDEOS)
    return next((public.format(match[1]) for match, public in matches if match), "")
