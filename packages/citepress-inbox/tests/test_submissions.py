import json
import re
import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.base.invisible import visible
from citepress.contract.json_body import InvalidArgumentsError, read_body
from citepress_inbox.limits import limit
from citepress_inbox.submissions import BODIES, ID_PATTERN, Submission, named_record, new_id, prepare
from support.stores import CORRECTION, RECEIPT, SOURCE

BODY = {"source": SOURCE, "correction": CORRECTION, "usage_receipt": RECEIPT}


def read(kind: str, **members: Any) -> Submission:
    return read_body(BODIES[kind], BODY[kind] | members)


def faults(kind: str, body: object) -> dict[str, str]:
    with pytest.raises(InvalidArgumentsError) as caught:
        read_body(BODIES[kind], body)
    return {str(fault.pointer): fault.detail for fault in caught.value.faults}


def without(kind: str, *names: str) -> dict[str, Any]:
    return {name: value for name, value in BODY[kind].items() if name not in names}


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_is_read_and_kept_as_it_was_given(kind: str) -> None:
    assert prepare(read(kind), "posts/x").body == BODY[kind]


def test_required_members_are_asked_for_all_at_once() -> None:
    assert faults("source", {}) == {"/url": "url is required.", "/reason": "reason is required."}
    assert set(faults("correction", {})) == {"/related_record", "/correction", "/evidence_urls"}
    assert faults("usage_receipt", {}) == {
        "/use": "use is required.",
        "/record_url": "record_url or related_record is required.",
    }


def test_what_is_optional_may_be_left_out() -> None:
    assert set(prepare(read("source", related_record=None, agent=None)).body) == {"url", "reason"}
    assert read_body(BODIES["correction"], without("correction", "claim", "agent"))


def test_an_unknown_member_is_refused_with_the_name_that_was_meant() -> None:
    problems = faults(
        "correction",
        without("correction", "evidence_urls") | {"evidence_url": [], "agent": {"name": "R", "vendor": "V"}},
    )
    assert problems["/evidence_url"] == 'evidence_url is not known; did you mean "evidence_urls"?'
    assert problems["/agent/vendor"] == "agent.vendor is not known; the members here are name."
    assert "/evidence_urls" in problems


def test_a_name_from_outside_is_shortened_and_made_harmless() -> None:
    (fault,) = faults("source", SOURCE | {"<b>\u202e~/" + "x" * 5000: 1}).items()
    assert fault[0].startswith("/<b>\u202e~0~1x")
    assert len(fault[1]) < 250
    assert "<b>" not in fault[1]


@pytest.mark.parametrize("body", [[], "text", 1, None, True, [SOURCE]])
def test_a_body_that_is_no_object_is_refused(body: object) -> None:
    assert faults("source", body) == {"": "The body must be a JSON object."}


BOUNDS: list[tuple[str, str, Any, Any]] = [
    ("source", "/reason", "x" * 10, "x" * 9),
    ("source", "/reason", "x" * 2000, "x" * 2001),
    ("source", "/reason", "x" * 10, " " * 4 + "x" * 9),
    ("source", "/url", "https://a.example/" + "x" * 2030, "https://a.example/" + "x" * 2031),
    ("source", "/related_record", "x" * 300, "x" * 301),
    ("source", "/agent/name", {"name": "x" * 120}, {"name": "x" * 121}),
    ("source", "/agent/name", {"name": "x"}, {"name": " "}),
    ("correction", "/correction", "x" * 2000, "x" * 2001),
    ("correction", "/claim", "x" * 1000, "x" * 1001),
    ("correction", "/evidence_urls", ["https://a.example/"] * 10, ["https://a.example/"] * 11),
    ("correction", "/evidence_urls", ["https://a.example/"], []),
    ("usage_receipt", "/use", "x" * 3, "x" * 2),
    ("usage_receipt", "/use", "x" * 1000, "x" * 1001),
    ("usage_receipt", "/outcome", "x" * 1000, "x" * 1001),
    ("usage_receipt", "/used_at", "2026-11-01T10:00:00+02:00", "yesterday"),
]


@pytest.mark.parametrize(("kind", "pointer", "good", "bad"), BOUNDS)
def test_every_bound_holds_on_both_sides(kind: str, pointer: str, good: Any, bad: Any) -> None:
    member = pointer.split("/")[1]
    assert read(kind, **{member: good})
    assert list(faults(kind, BODY[kind] | {member: bad})) == [pointer]


@pytest.mark.parametrize("value", [1, True, [], {}, ["https://a.example/"], 1.5])
def test_a_member_of_the_wrong_type_is_refused(value: object) -> None:
    assert list(faults("source", SOURCE | {"url": value})) == ["/url"]


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/",
        "ftp://a.example/",
        "//a.example/",
        "a.example",
        "https://",
        "https:///x",
        "javascript:alert(1)",
        "https://user:secret@a.example/",
        "https://a.example:port/",
        "https://a b.example/",
        "https://a.example/\u202e",
        "https://[::1",
    ],
)
def test_only_plain_https_urls_are_taken(url: str) -> None:
    assert list(faults("source", SOURCE | {"url": url})) == ["/url"]
    assert list(faults("correction", CORRECTION | {"evidence_urls": ["https://a.example/", url]})) == [
        "/evidence_urls/1"
    ]


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1/", "https://[::1]:8443/", "https://nas.local/", "https://intranet/"]
)
def test_only_public_hosts_are_taken(url: str) -> None:
    (detail,) = faults("source", SOURCE | {"url": url}).values()
    assert detail.startswith("url must name a public host")
    assert list(faults("correction", CORRECTION | {"evidence_urls": [url, "https://a.example/", url]})) == [
        "/evidence_urls/0",
        "/evidence_urls/2",
    ]


BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HIDDEN = (
    "\0\x1b\x7f\x9b\u00ad\u034f\u115f\u180e\u200b\u2060\u2064\u206f\u3164\ufeff\uffa0\ufff9\uffff"
    "\U000e0001\U000e0041\U000e007f"
)


@pytest.mark.parametrize("character", BIDI + HIDDEN, ids=lambda character: f"U+{ord(character):04X}")
def test_characters_that_deceive_a_reviewer_are_refused(character: str) -> None:
    (detail,) = faults("source", SOURCE | {"reason": f"A good {character} source."}).values()
    assert detail == f"reason holds the invisible character U+{ord(character):04X}."
    assert list(faults("source", SOURCE | {"agent": {"name": f"a{character}b"}})) == ["/agent/name"]
    for url in (f"https://a{character}b.example/", f"https://a.example/{character}"):
        assert list(faults("source", SOURCE | {"url": url})) == ["/url"]


@pytest.mark.parametrize("character", "\u200c\u200d\ufe0f\U000e0100")
def test_joiners_that_scripts_and_emoji_need_are_taken_in_texts_but_not_in_addresses(character: str) -> None:
    read("source", reason=f"A good {character} source.", agent={"name": f"a{character}b"})
    for url in (f"https://a{character}b.example/", f"https://a.example/{character}"):
        assert list(faults("source", SOURCE | {"url": url})) == ["/url"]


def test_no_other_character_that_unicode_calls_a_format_control_is_hidden() -> None:
    """Those that are left are marks of Arabic, Syriac, Kaithi and Egyptian numbers and signs, which are seen."""
    controls = (chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Cf")
    code_points = [ord(character) for character in controls if visible(character) == character]
    assert all(
        0x600 <= code <= 0x8E2 or 0x110BD <= code <= 0x110CD or 0x13430 <= code <= 0x1343F for code in code_points
    )


def test_a_name_is_one_line_and_a_text_may_be_more() -> None:
    assert list(faults("source", SOURCE | {"agent": {"name": "a\nb"}})) == ["/agent/name"]
    assert read("source", reason="First line.\nSecond\tline.")


@pytest.mark.parametrize(
    "name",
    [
        "posts/x",
        "/posts/x",
        "/posts/x/",
        "posts/x.json",
        "posts/x.md",
        "https://archive.test/posts/x/",
        "https://archive.test/posts/x.md#y",
        "/posts/x/?from=feed",
    ],
)
def test_a_record_is_known_by_its_id_its_paths_and_its_addresses(name: str) -> None:
    assert named_record(read("source", related_record=name), "https://archive.test/") == ("related_record", "posts/x")
    receipt = read_body(BODIES["usage_receipt"], {"use": "An answer.", "record_url": "https://archive.test/posts/x/"})
    assert named_record(receipt, "https://archive.test") == ("record_url", "posts/x")


def test_an_address_elsewhere_is_no_record_of_ours() -> None:
    record = named_record(read("source", related_record="https://elsewhere.test/posts/x/"), "https://archive.test")
    assert record == ("related_record", "https://elsewhere.test/posts/x/")
    assert named_record(read("source", related_record=None), "https://archive.test") is None


def key(kind: str, record: str = "posts/x", **members: Any) -> bytes:
    return prepare(read(kind, **members), record).key


def test_a_repeat_is_known_whatever_way_it_is_written() -> None:
    same = key("source")
    assert key("source", url="https://SOURCE.example:443/one/#part") == same
    assert key("source", url="https://source.example/one?utm_source=x") == same
    assert key("source", reason="  It shows\n the   opposite. ") == same
    assert key("source", related_record="/posts/x/") == same
    urls = ["https://a.example/", "https://b.example/"]
    assert key("correction", evidence_urls=urls) == key("correction", evidence_urls=[*urls[::-1], urls[0]])
    assert key("usage_receipt", used_at="2026-11-01") == key("usage_receipt", used_at="2026-11-01T01:00:00+01:00")
    assert key("source", reason="Caf\u00e9 opens at nine.") == key("source", reason="Cafe\u0301 opens at nine.")


def test_what_says_something_else_is_no_repeat() -> None:
    keys = [
        key("source"),
        key("source", "posts/y"),
        key("source", ""),
        key("source", url="https://source.example/two"),
        key("source", reason="It shows the same."),
        key("source", agent=None),
        key("source", agent={"name": "Another"}),
        key("correction"),
        key("correction", claim=None),
        key("correction", evidence_urls=["https://other.example/"]),
        key("usage_receipt"),
    ]
    assert len(set(keys)) == len(keys)


def test_ids_hold_160_random_bits() -> None:
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(ID_PATTERN, id_) for id_ in ids)
    assert all(len({id_[place] for id_ in ids}) == 32 for place in range(32))


def test_the_limit_counts_a_day() -> None:
    assert (limit(30).quota, limit(30).window, limit(30).name) == (30, 86_400, "inbox")


@pytest.mark.parametrize("kind", BODIES)
def test_the_schema_of_a_body_tells_every_bound(kind: str) -> None:
    schema = BODIES[kind].model_json_schema()
    assert schema["additionalProperties"] is False
    assert all("description" in member for member in schema["properties"].values())
    text = json.dumps(schema)
    assert '"maxLength": 300' in text
    assert text.count("maxLength") >= 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*SOURCE, *CORRECTION, *RECEIPT, "name", "x"]), inner, max_size=5)
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(sorted(BODIES)))
def test_any_json_is_read_or_refused_with_pointers(body: Any, kind: str) -> None:
    details: list[str] = []
    try:
        submission = read_body(BODIES[kind], body)
    except InvalidArgumentsError as error:
        submission, details = None, [fault.detail for fault in error.faults]
    assert all(detail.endswith((".", "?")) for detail in details)
    assert (submission is None) == bool(details)
    assert submission is None or prepare(submission).key == prepare(submission).key
