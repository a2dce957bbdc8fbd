"""Word pieces: the tokens that models of the BERT family were trained with."""

import pytest

from citepress_semantic.files import SemanticError, model_files, word_pieces
from citepress_semantic.settings import SearchSettings
from citepress_semantic.wordpiece import WordPieces

PIECES = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "un",
    "##aff",
    "##able",
    "run",
    "##ning",
    "café",
    "cafe",
    "日",
    "本",
    "!",
    "$",
]


def pieces(text: str, most: int = 64, *, vocabulary: list[str] = PIECES) -> list[str]:
    return [vocabulary[number] for number in WordPieces(vocabulary).numbers(text, most)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("unaffable running", ["un", "##aff", "##able", "run", "##ning"]),
        ("RUN!run", ["run", "!", "run"]),
        ("Café", ["cafe"]),
        ("日本", ["日", "本"]),
        ("run\u200b\u00adning\x00", ["run", "##ning"]),
        ("unknown $", ["[UNK]", "$"]),
        ("un" * 51, ["[UNK]"]),
        ("[SEP]", ["[UNK]", "[UNK]", "[UNK]"]),
        ("", []),
    ],
)
def test_words_are_split_into_the_longest_pieces(text: str, tokens: list[str]) -> None:
    assert pieces(text) == ["[CLS]", *tokens, "[SEP]"]


def test_a_text_is_cut_with_its_frame() -> None:
    assert pieces("run " * 100, 5) == ["[CLS]", "run", "run", "run", "[SEP]"]


def test_a_vocabulary_with_capitals_tells_them_apart() -> None:
    cased = [*PIECES, "Run"]
    assert pieces("Run run Café café", vocabulary=cased) == ["[CLS]", "Run", "run", "[UNK]", "café", "[SEP]"]


def test_a_list_of_anything_else_is_refused() -> None:
    with pytest.raises(ValueError, match=r"\[CLS\], \[SEP\], \[UNK\]"):
        WordPieces(["a", "b"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't embed naïve Café résumés!", "don ' t em ##bed naive cafe resume ##s !"),
        ("日本語のテキスト", "日 本 語 の ##テ ##キ ##ス ##ト"),
        ("İstanbul $5+6^2 `x`", "istanbul $ 5 + 6 ^ 2 ` x `"),
    ],
)
def test_tokens_are_those_of_the_reference(text: str, tokens: str) -> None:
    """As the library ``tokenizers`` gives them with the model's own vocabulary."""
    try:
        vocabulary = word_pieces(model_files(SearchSettings(semantic=True)))
    except SemanticError as error:
        pytest.skip(str(error))
    lines = vocabulary.lines.split("\n")
    assert " ".join(lines[number] for number in vocabulary.numbers(text, 64)[1:-1]) == tokens
