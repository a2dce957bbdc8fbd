"""Code as a page shows it: spans with class names of Pygments, which the theme colours; no script is needed.

A lexer is a list of regular expressions, some of which take time that grows with the square of a line or of a run of
empty lines. So code is bounded in all of these, and shown plain beyond.
"""

import re
from functools import cache, lru_cache
from html import escape, unescape
from itertools import groupby
from operator import itemgetter

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, Operator, String, _TokenType

MAX_BLOCK_CHARS, MAX_LINE_CHARS, RUN, EMPTY_LINES, MAX_PAGE_CHARS = 20_000, 1_000, 1_000, 10, 400_000
"""Characters of one block, of one line and of words without a sign between them, consecutive empty lines, and
characters of one text, that are coloured."""
MAX_HELD_BLOCK_CHARS, MAX_HELD_BLOCKS = 2_000, 256
"""Characters of a block that is held once it is coloured, and how many are: a page that is edited again has the same
ones, as have its revisions, and some stand on many pages."""
LANGUAGES = frozenset(
    """
    awk bash batch c clojure cmake console cpp csharp css dart diff docker elixir elm erb erlang fish fsharp go
    graphql groovy haskell html http ini java javascript jinja json jsx julia kotlin less lisp lua makefile nasm
    nginx nim nix objective-c ocaml perl php postgresql powershell protobuf pycon python r ruby rust sass scala
    scheme scss solidity sql swift tex toml tsx typescript vim xml yaml zig
    """.split()  # noqa: SIM905  (one word a line would fill a page)
)
"""Languages that are coloured, by their names in Pygments."""
OTHER_NAMES = {
    "bat": "batch", "c#": "csharp", "c++": "cpp", "cc": "cpp", "cs": "csharp", "dockerfile": "docker", "f#": "fsharp",
    "golang": "go", "h": "c", "hpp": "cpp", "hs": "haskell", "jinja2": "jinja", "js": "javascript",
    "json5": "json", "jsonc": "json", "kt": "kotlin", "latex": "tex", "make": "makefile", "mjs": "javascript",
    "objc": "objective-c", "patch": "diff", "pl": "perl", "proto": "protobuf", "ps1": "powershell", "py": "python",
    "py3": "python", "python3": "python", "rb": "ruby", "rs": "rust", "sh": "bash", "shell": "bash",
    "shell-session": "console", "sqlite": "sql", "svg": "xml", "ts": "typescript", "udiff": "diff",
    "yml": "yaml", "zsh": "bash",
}  # fmt: skip
TOKEN_CLASSES = {
    Comment: "c", Keyword: "k", Operator.Word: "ow", String: "s", Number: "m", Name.Function: "nf", Name.Class: "nc",
    Name.Builtin: "nb", Name.Decorator: "nd", Name.Tag: "nt", Name.Attribute: "na", Name.Variable: "nv",
    Generic.Deleted: "gd", Generic.Inserted: "gi", Generic.Heading: "gh", Generic.Subheading: "gu",
    Generic.Prompt: "gp", Generic.Output: "go",
}  # fmt: skip
"""What is coloured, under the class names of Pygments; everything else is as the text around it."""
_BLOCK = re.compile(r'(<pre><code class="language-([^"]*)">)([^<]+)(?=</code></pre>)')
_RUN = re.compile(r"[\w\s.$<>?\[\]]+")
_TOO_EMPTY = re.compile(rf"\n(?:[ \t\r\f\v]*\n){{{EMPTY_LINES}}}")


def with_colours(html: str) -> str:
    """Clean HTML whose blocks of code are coloured, those at the top first; the rest is left as it is."""
    left = MAX_PAGE_CHARS

    def write(match: re.Match[str]) -> str:
        nonlocal left
        code = unescape(match[3])
        left -= len(code)
        return match[1] + (highlight(code, match[2]) if left >= 0 else match[3])

    return _BLOCK.sub(write, html) if '<pre><code class="language-' in html else html


def highlight(code: str, language: str) -> str:
    """Code of a language as HTML; without colours where the language is unknown or the code out of bounds."""
    name = language.lower()
    name = OTHER_NAMES.get(name, name)
    if name not in LANGUAGES or not _within_bounds(code):
        return escape(code, quote=False)
    return _held(code, name) if len(code) <= MAX_HELD_BLOCK_CHARS else _written_out(code, name)


@lru_cache(maxsize=MAX_HELD_BLOCKS)
def _held(code: str, name: str) -> str:
    return _written_out(code, name)


def _written_out(code: str, name: str) -> str:
    pieces = [(_class(sort), text) for _, sort, text in _lexer(name).get_tokens_unprocessed(code)]
    if "".join(text for _, text in pieces) != code:  # a lexer of sessions reads whole lines
        return escape(code, quote=False)
    runs = ((name, "".join(text for _, text in run)) for name, run in groupby(pieces, key=itemgetter(0)))
    return "".join(_written(name, text) for name, text in runs)


@cache
def _lexer(name: str) -> Lexer:
    """The lexer of a language; looking one up goes through all five hundred."""
    lexer: Lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    return lexer


def _within_bounds(code: str) -> bool:
    return (
        len(code) <= MAX_BLOCK_CHARS
        and max(map(len, code.split("\n"))) <= MAX_LINE_CHARS
        and all(match.end() - match.start() <= RUN for match in _RUN.finditer(code))
        and not _TOO_EMPTY.search(code)
    )


def _class(sort: _TokenType) -> str:
    while sort not in TOKEN_CLASSES and sort.parent is not None:
        sort = sort.parent
    return TOKEN_CLASSES.get(sort, "")


def _written(name: str, text: str) -> str:
    words = escape(text, quote=False)
    return f'<span class="{name}">{words}</span>' if name and not text.isspace() else words
