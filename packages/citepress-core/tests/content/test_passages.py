"""Passages: the sentence of a text that holds a link, shortened."""

import pytest

from citepress.content.passages import MAX_LINK_CHARS, MAX_PASSAGE_CHARS, LinkPassage, passages


def every(text: str) -> dict[int, LinkPassage]:
    """The passages of all links of a text."""
    return passages(text, range(len(text.encode())))


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("One. See [the *table*](/a/) now. Three.", ("See ", "the table", " now.")),
        ("[It](/a/) is so", ("", "It", " is so")),
        ("Is it so?! Yes, [it](/a/).", ("Yes, ", "it", ".")),
        ("As Dr. A. Smith says, e.g. [here](/a/), it is.", ("A. Smith says, e.g. ", "here", ", it is.")),
        ("Version 2. 5 lines of [it](/a/) are new.", ("Version 2. 5 lines of ", "it", " are new.")),
        ("Two\nlines and [a\nlink](/a/)\nhere.", ("Two lines and ", "a link", " here.")),
        ("- one\n- see [it](/a/)\n- three", ("see ", "it", "")),
        ("| a | b |\n|---|---|\n| x | [it](/a/) y |", ("", "it", " y")),
        ("## Of [it](/a/)\n\nText.", ("Of ", "it", "")),
        ("See <b>so</b> [it](/a/) <script>x</script>now.", ("See so ", "it", " now.")),
        ("See [`it`](/a/), $x$.", ("See ", "it", ", $x$.")),
        ("“So.” Then [it](/a/) ends.” Next.", ("Then ", "it", " ends.”")),
        ("これは表です。[表](/a/)を見る。終わり。", ("", "表", "を見る。")),
        ("See [it][r].\n\n[r]: /a/", ("See ", "it", ".")),
    ],
)
def test_a_passage_is_the_sentence_around_a_link(text: str, passage: tuple[str, str, str]) -> None:
    assert list(every(text).values()) == [passage]


def test_a_link_without_words_has_no_passage() -> None:
    assert every("A [](/a/) and [![picture](/p.png)](/a/).") == {}


def test_links_are_named_by_the_byte_at_which_they_begin() -> None:
    text = "Über [one](/a/) und [two](/b/)."
    assert list(every(text)) == [text.encode().index(b"[one"), text.encode().index(b"[two")]


@pytest.mark.parametrize("word", ["word ", "wordwithoutspaces"])
@pytest.mark.parametrize("link", ["link", "link " * 200, "l" * 3000])
def test_a_passage_is_bounded(word: str, link: str) -> None:
    ((before, words, after),) = every(f"{word * 500}[{link}](/a/){word * 500}").values()
    assert len(words) <= MAX_LINK_CHARS
    assert len(before + words + after) <= MAX_PASSAGE_CHARS + 2
    assert (before[0], after[-1]) == ("…", "…")


def test_a_block_without_a_link_that_is_asked_for_is_passed_over() -> None:
    text = "See [one](/a/) here.\n\n- a\n- see [two](/b/) and [three](/c/)\n\nSee [four](/d/).\n"
    offset = text.encode().index(b"[three")
    assert list(passages(text, {offset})) == [text.encode().index(b"[two"), offset]
    assert passages(text, ()) == {}
