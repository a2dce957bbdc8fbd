"""A content folder that another process surveys while the server is imported."""

from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.cli import early_survey
from citepress.cli.early_survey import EarlySurvey
from citepress.content.files import fingerprint
from citepress.settings import from_environment
from support.folder import folder, post

FILES = {"content/posts/one.md": post(), "content/posts/two.md": post()}


def test_it_says_what_a_survey_in_this_process_says(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", FILES)
    survey = EarlySurvey(root)

    assert survey.fingerprint() == fingerprint(root)
    assert survey.fingerprint() is None


def test_where_the_process_fails_nothing_is_said_and_the_builder_looks_itself(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", FILES)
    builder = Builder(from_environment(root, state=tmp_path / "state", environ={}))
    builder.build(clock.now())
    survey = EarlySurvey(root)
    survey._process.kill()  # noqa: SLF001  (whatever may end it)
    survey._process.join()  # noqa: SLF001
    survey._line.close()  # noqa: SLF001  (its answer may lie there already)

    assert survey.fingerprint() is None
    assert builder.ensure(clock.now(), lambda: None).printed is None


def test_the_builder_believes_it_and_builds_where_the_content_is_another(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", FILES)
    builder = Builder(from_environment(root, state=tmp_path / "state", environ={}))
    builder.build(clock.now())

    assert builder.ensure(clock.now(), EarlySurvey(root).fingerprint).printed is None
    (root / "content/posts/three.md").write_text(post())
    built = builder.ensure(clock.now(), EarlySurvey(root).fingerprint)
    assert built.printed
    assert built.printed.rendered


def test_there_is_none_where_it_would_have_no_core_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early_survey, "usable_cores", lambda: 1)
    assert early_survey.early_survey(tmp_path) is None
