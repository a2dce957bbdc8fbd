from hypothesis import given
from hypothesis import strategies as st

from citepress.http import accept
from citepress.http.accept import best_match

TYPES = ("text/html", "text/markdown", "application/json")
OFFERS = tuple((name,) for name in TYPES)
weights = st.sampled_from(["", ";q=1", ";q=0.9", ";q=0.5", ";q=0", ";q=1.000", "; Q=0.3"])
ranges = st.sampled_from([*TYPES, "text/*", "*/*", "application/*", "image/png"])
fields = st.lists(st.tuples(ranges, weights).map("".join), max_size=8).map(", ".join)


def weight_of(field: str, name: str) -> float:
    """What RFC 9110 says a client thinks of a type, worked out the slow way."""
    said: dict[str, float] = {}
    for part in filter(None, field.split(", ")):
        range_, _, q = part.lower().replace(" ", "").partition(";q=")
        said.setdefault(range_, float(q or 1))
    return next((said[key] for key in (name, name.partition("/")[0] + "/*", "*/*") if key in said), 0.0)


@given(fields)
def test_no_offer_is_liked_better_than_the_one_chosen(field: str) -> None:
    chosen = best_match(field.encode(), OFFERS)
    liked = [weight_of(field, name) for name in TYPES]
    if not field:
        assert chosen == 0
    elif chosen < 0:
        assert max(liked) == 0
    else:
        assert liked[chosen] == max(liked) > 0


@given(st.permutations(TYPES))
def test_of_types_liked_equally_the_first_named_is_chosen(order: list[str]) -> None:
    assert TYPES[best_match(", ".join(order).encode(), OFFERS)] == order[0]


@given(st.binary(max_size=300))
def test_any_bytes_get_an_answer(field: bytes) -> None:
    assert -1 <= best_match(field, OFFERS) < len(OFFERS)


def test_a_field_that_cannot_be_read_excludes_nothing() -> None:
    for field in (b"text", b"text/html;q=2", b"image/png, ;q=1", b"\xff", b"a/b/c", b'text/"html"'):
        assert best_match(field, OFFERS) == 0, field


def test_an_unterminated_quote_is_read_in_one_pass() -> None:
    accept.read.cache_clear()
    assert best_match(b'text/markdown;x="' + b'\\"' * 5000, OFFERS) == 0
    assert best_match(b'text/markdown;x="a,text/html;q=0"', OFFERS) == 1


def test_only_the_beginning_of_an_overlong_field_is_read() -> None:
    assert best_match(b"text/markdown, " + b"image/png, " * 1000, OFFERS) == 1
    assert best_match(b"image/png, " * 1000 + b"text/markdown", OFFERS) == 0, (
        "what was not read may have wanted anything"
    )


def test_ranges_beyond_those_that_are_read_exclude_nothing() -> None:
    assert best_match(b"a/b;q=0.1," * 100 + b"*/*", OFFERS) == 0
    assert best_match(b"text/markdown," + b"a/b;q=0.1," * 100, OFFERS) == 1
    assert best_match(b" ," * 100 + b"text/markdown", OFFERS) == 1, "nothing between commas is no range"
    assert best_match(b"a/b;q=0.1," * 64, OFFERS) == -1


def test_a_synonym_counts_when_the_type_sent_is_not_named() -> None:
    offers = (("text/html",), ("text/markdown", "text/plain"))
    assert best_match(b"text/plain", offers) == 1
    assert best_match(b"text/markdown;q=0, text/plain", offers) == -1
    assert best_match(b"text/plain;q=0.1, text/html;q=0.2", offers) == 0
