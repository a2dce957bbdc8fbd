"""An extension may read folders that the core cannot: what it makes of them is checked, built and served as any."""

from pathlib import Path

import pytest

from support.extensions import install, run_with
from support.folder import SITE, folder, post

READER = '''
from citepress.content.files import scan
from citepress.content.folder_formats import FolderFormat
from citepress.content.folder_reader import FolderReader
from citepress.content.front import front_model, front_of
from citepress.content.parsed import Parsed
from citepress.content.source_map import FrontMatter, SourceFile
from citepress.content.source_record import source_record


class TextReader(FolderReader):
    """Reads each text as a note whose first line is its title."""

    def read_all(self):
        files, faults = scan(self.root)
        self.faults += faults
        self.site = self.site.model_copy(update={"title": "Texts"})
        for file in (file for file in files if file.name.endswith(".txt")):
            if record := self.content_of(file, self.read_text):
                self.records.append(record)

    def read_text(self, root, file):
        title, _, body = (root / file.path).read_text("utf-8").partition("\\n")
        source, kind = SourceFile(root, file.path), next(kind for kind in self.kinds if kind.takes_notes)
        front = front_of(front_model(kind), {"title": title, "summary": title, "date": "2026-01-02"}, source)
        return Parsed(source_record(source, kind, file.name.removesuffix(".txt"), front, FrontMatter(None, body, 2)))


def is_of_texts(root, is_archive):
    return not is_archive and (root / "texts.ini").exists()


FORMATS = (FolderFormat("texts", is_of_texts, TextReader, before="plain"),)
'''
TEXTS = {"texts.ini": "", "one.txt": "One text\nIts words.\n"}
DIGEST = "from citepress.edition.code_digest import code_digest; print(code_digest().hex())"


def library(path: Path, name: str = "texts", reader: str = READER) -> Path:
    return install(path / "lib", name, f"readers='{name}_extension.reader:FORMATS'", reader=reader)


def test_a_folder_that_an_extension_knows_is_read_by_it(tmp_path: Path) -> None:
    path, root = library(tmp_path), folder(tmp_path / "texts", TEXTS, site=None)
    done = run_with(path, "build", str(root), "--output", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert "# One text" in (tmp_path / "out" / "posts" / "one.md").read_text("utf-8")
    (root / "one.txt").write_bytes(b"\n\n")
    checked = run_with(path, "check", str(root))
    assert (checked.returncode, "one.txt:1:1 error CP014 title:" in checked.stdout) == (1, True), checked.stdout


def test_an_archive_with_settings_is_the_cores_whatever_a_package_says(tmp_path: Path) -> None:
    path = library(tmp_path, reader=READER.replace("not is_archive and", "True or"))
    root = folder(tmp_path / "site", {**TEXTS, "content/posts/two.md": post()}, SITE)
    done = run_with(path, "build", str(root), "--output", str(tmp_path / "out"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(file.name for file in (tmp_path / "out" / "posts").glob("*.md")) == ["two.md"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("not is_archive and", "1 / 0 or"), "the FolderFormat 'texts' of texts-extension failed: ZeroDivisionError"),
        (("files, faults =", "1 / 0; files, faults ="), "'texts' of texts-extension failed: ZeroDivisionError"),
        (('"texts", is', '"plain", is'), "texts-extension both claim 'plain' (readers): uninstall one of them"),
        (
            ("FORMATS = (", "FORMATS = [1] or ("),
            "the extension 'texts' of texts-extension: readers is [1], not a tuple",
        ),
    ],
)
def test_a_reader_that_fails_or_clashes_is_one_sentence(tmp_path: Path, change: tuple[str, str], reason: str) -> None:
    path = library(tmp_path, reader=READER.replace(*change))
    done = run_with(path, "check", str(folder(tmp_path / "texts", TEXTS, site=None)))
    assert done.returncode == 1
    assert reason in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_what_reads_a_folder_is_part_of_its_edition(tmp_path: Path) -> None:
    path = library(tmp_path)
    before = run_with(path, code=DIGEST).stdout
    (path / "texts_extension" / "reader.py").write_text(f"{READER}# changed\n")
    assert "" != before != run_with(path, code=DIGEST).stdout
