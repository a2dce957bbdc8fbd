"""What holds for any bytes and any values: reading never raises, front matter comes back as it was written."""

import tempfile
from contextlib import suppress
from pathlib import Path

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from citepress.content import links, yaml_loader
from citepress.content.files import ContentFile
from citepress.content.source_map import split
from citepress.content.yaml_loader import YamlFault
from support.folder import NOW, checked, folder, post, reading

WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn"), exclude_characters="\u2028\u2029\ufeff"),
    min_size=1,
    max_size=40,
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**17), 10**17)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
    | WORDS
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4), max_leaves=12
)
FEW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FEW
@given(st.dictionaries(WORDS, VALUES, max_size=6))
def test_any_value_written_as_yaml_is_read_as_it_was(value: dict[str, object]) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, sort_keys=False)
    assert yaml_loader.load(text) == value


@FEW
@given(st.lists(WORDS.filter(lambda word: len(word.strip()) > 0), max_size=6), WORDS)
def test_front_matter_comes_back_through_a_file(tags: list[str], title: str) -> None:
    with tempfile.TemporaryDirectory() as path:
        content = reading(folder(Path(path), {"content/posts/x.md": post(title=title, tags=tags)}))
    assert content.faults == ()
    assert (content.drafts[0].front.title, content.drafts[0].front.tags) == (title, tags)


@FEW
@given(st.binary(max_size=300))
@example(b"---\n&a : *a\n---\n")
@example(b"---\n? {}\n: x\n---\n")
@example(b"---\n%YAML 9\n---\n---\n")
@example(b"---\ntitle: \xc2\x85\n---\n")
def test_any_bytes_as_a_file_never_raise(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as path:
        root = Path(path)
        files = dict.fromkeys(
            (
                "content/posts/x.md",
                "content/sources.yaml",
                "content/owner.md",
                "content/presence/x.yaml",
                "redirects.txt",
            ),
            data,
        )
        rows = dict.fromkeys(("datasets/d/v1.csv", "datasets/d/schema.json", "datasets/d/README.md", "site.toml"), data)
        checked(folder(root, files | rows, site=None))
        for fault in reading(root, moment=NOW).faults:
            assert fault.place.file
            assert fault.message.isprintable()


@FEW
@given(st.text(max_size=200))
def test_any_text_between_fences_is_yaml_or_a_fault(text: str) -> None:
    with suppress(YamlFault):
        yaml_loader.load(text)
    assert yaml_loader.marks(text).find(("x", 1)) >= (1, 1)


@FEW
@given(st.text(max_size=200))
def test_a_split_file_loses_nothing_but_blank_lines(text: str) -> None:
    matter = split(text)
    assert matter.body in text
    if matter.front is None:
        assert matter.body == text.strip("\n").rstrip()


@FEW
@given(st.text(max_size=300))
def test_any_markdown_can_be_inspected(text: str) -> None:
    inspected = links.inspect(text)
    assert all(links.place_in(text, link.offset) >= (1, 1) for link in (*inspected.links, *inspected.unsafe))


def test_a_files_name_is_the_end_of_its_path() -> None:
    assert ContentFile("content/posts/x.md", 1, 1).name == "x.md"
