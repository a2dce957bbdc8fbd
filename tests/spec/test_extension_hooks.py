"""Functions of extensions that fail, give something else or clash: each is one sentence that names the extension."""

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.announcers import announcers
from citepress.admin.doctor import DoctorCheck, examine
from citepress.admin.metrics import OperatorView
from citepress.admin.state_folders import EXPORT, PUBLISHED_FOLDER
from citepress.app.binding import WorkerParts, after_publication, services, worker_parts
from citepress.base.declared_names import CORE_FOLDERS
from citepress.base.errors import CitepressError
from citepress.base.prometheus import gauge
from citepress.contract.fault import Fault
from citepress.contract.limits import remote_counters
from citepress.contract.page import Block
from citepress.contract.picture import pictures_of
from citepress.contract.site import Site
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import pointer
from citepress.edition.overlay import OVERLAY_FOLDER
from citepress.extension import Command, Extension, ExtensionError
from citepress.history.state_files import KEPT_FOLDERS
from citepress.hooks import gathered, merged
from citepress.search.state import INDEX_FOLDER
from citepress.settings import Settings
from citepress.stores.local.worker_metrics import MetricsTable
from support.fake_extensions import give

ANY: Any = None
"""What a function that fails is offered."""
CALLS: dict[str, Callable[[], object]] = {
    "facts": lambda: merged("facts", ANY),
    "record_details": lambda: merged("record_details", ANY),
    "services": lambda: services(ANY),
    "workers": lambda: worker_parts(ANY, {}),
    "guide": lambda: [*gathered("guide", Block, ANY)],
    "site_checks": lambda: [*gathered("site_checks", Fault, ANY, ANY)],
    "start_checks": lambda: [*gathered("start_checks", str, ANY)],
}


def boom(*_arguments: object) -> None:
    """Fail."""
    raise ValueError("boom\nand more")


@pytest.mark.parametrize("point", CALLS)
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (boom, "ValueError: boom and more"),
        (lambda *_: None, "TypeError: "),
        (lambda *_: [1], "TypeError: it gives "),
    ],
)
def test_what_a_function_raises_or_gives_of_a_wrong_shape_names_its_extension(
    monkeypatch: pytest.MonkeyPatch, point: str, function: Callable[..., object], reason: str
) -> None:
    give(monkeypatch, ("acme", {point: (function,)}))

    with pytest.raises(ExtensionError) as refused:
        CALLS[point]()
    assert str(refused.value).startswith(f"the extension 'acme' of acme-ext: {point}: {reason}")


@pytest.mark.parametrize("value", [{"x": object()}, {1: 2}])
def test_what_is_written_with_an_edition_is_json(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    give(monkeypatch, ("acme", {"facts": (lambda _: value,)}))

    with pytest.raises(ExtensionError, match=r"the extension 'acme' of acme-ext: facts: .*(JSON|str)"):
        merged("facts", ANY, written=True)


@pytest.mark.parametrize("value", [[boom], (1,), 1, boom])
def test_a_point_that_is_no_tuple_of_functions_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, value: object
) -> None:
    give(monkeypatch, ("acme", {"facts": value}))

    with pytest.raises(ExtensionError, match=r"the extension 'acme' of acme-ext: facts is .* not a tuple of"):
        merged("facts", ANY)


@pytest.mark.parametrize("value", [boom, (boom,)])
def test_what_one_alone_may_give_names_its_extension_too(monkeypatch: pytest.MonkeyPatch, value: object) -> None:
    give(monkeypatch, ("acme", {"pictures": value, "counters": value}))

    for call in (lambda: pictures_of(Site().publication), lambda: remote_counters(ANY)):
        with pytest.raises(ExtensionError, match=r"the extension 'acme' of acme-ext: (pictures|counters): "):
            call()


@pytest.mark.parametrize("error", [ExtensionError("it names another"), CitepressError("no rail"), StoreUnavailable(5)])
def test_what_explains_itself_passes(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def refuse(*_arguments: object) -> None:
        raise error

    give(monkeypatch, ("acme", {"start_checks": (refuse,)}))
    with pytest.raises(type(error)) as raised:
        CALLS["start_checks"]()
    assert raised.value is error


def test_two_that_give_one_name_are_refused_with_both(monkeypatch: pytest.MonkeyPatch) -> None:
    for point, offered, key in (
        ("record_details", {"rows": 1}, "'rows'"),
        ("facts", {"rails": 1}, "'rails'"),
        ("services", {int: 1}, "'int'"),
        ("workers", WorkerParts({"/mcp": ANY}), "'/mcp'"),
        ("workers", WorkerParts(tap=print), "'tap'"),
    ):
        parts = {point: (lambda *_, offered=offered: offered,)}
        give(monkeypatch, ("first", parts), ("zacme", {point: (lambda *_, offered=offered: offered,)}))
        with pytest.raises(ExtensionError, match=rf"first-ext and zacme-ext both give {key} \({point}\)"):
            CALLS[point]()


def test_a_path_that_the_core_answers_is_no_path_of_an_extension(monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, ("acme", {"workers": (lambda _: WorkerParts({"/search": ANY}),)}))

    with pytest.raises(ExtensionError, match="citepress-core and acme-ext both give '/search'"):
        worker_parts(ANY, {"/search": ANY})


def test_metrics_of_all_others_stay_when_those_of_one_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(_settings: object) -> None:
        raise StoreUnavailable(5)

    fine = ("fine", {"metrics": (lambda _: [gauge("fine", "Fine.", 1)],)})
    give(monkeypatch, ("acme", {"metrics": (boom, lambda _: [1])}), ("away", {"metrics": (away,)}), fine)
    names = {
        family.name for family in OperatorView(Settings(tmp_path, tmp_path), MetricsTable.create(tmp_path)).metrics()
    }

    assert {"citepress_build_info", "citepress_workers_wanted", "fine"} <= names
    assert [record.getMessage().partition(" of ")[0] for record in caplog.records] == [
        "the extension 'acme'",
        "the extension 'acme'",
        "the extension 'away'",
    ]


def test_who_fails_after_a_publication_is_logged_and_the_others_are_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    informed: list[object] = []
    give(monkeypatch, ("acme", {"published": (boom,)}), ("fine", {"published": (lambda *_: informed.append(1),)}))
    with caplog.at_level(logging.DEBUG):
        after_publication(ANY, ANY, ANY, datetime(2026, 1, 1, tzinfo=UTC))

    assert informed == [1]
    assert [(record.levelname, bool(record.exc_info)) for record in caplog.records] == [
        ("DEBUG", True),
        ("WARNING", False),
    ]
    assert caplog.records[1].getMessage() == "the extension 'acme' of acme-ext: published: ValueError: boom and more"


def test_an_announcer_that_is_none_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    give(monkeypatch, ("acme", {"publications": (boom, lambda _: None)}))

    assert announcers(ANY) == ()
    assert len(caplog.records) == 2


def test_a_check_of_the_doctor_that_fails_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give(monkeypatch, ("acme", {"doctor": (DoctorCheck("rails", "check", boom),)}))
    findings = {finding.check: finding for finding in examine(Settings(tmp_path, tmp_path))}

    assert findings["rails"].status == "failure"
    assert findings["rails"].detail == "the extension 'acme' of acme-ext: doctor: ValueError: boom and more"
    assert "ports" in findings, "the checks after it are made"


@pytest.mark.parametrize("name", ["", "--version", "-h", "z\nap x", "Zap", "a/b", 1])
def test_a_command_and_an_extension_are_one_word_in_lower_case(name: Any) -> None:
    with pytest.raises(ValueError, match=r"the command .* is not one word in lower case"):
        Command(name, "acme:run", "Run.")
    with pytest.raises(ValueError, match=r"the name .* is not one word in lower case"):
        Extension(name=name)


@pytest.mark.parametrize(
    "parts",
    [
        {"limits": (1,)},
        {"limits": None},
        {"limits": "mcp"},
        {"limits": ("a b",)},
        {"counted": ["x"]},
        {"counted": ("x",)},
        {"counted": {"a b\nc 1": "Odd."}},
        *({"folders": (name,)} for name in ("", "/abs", "../x", "a/b", ".", "..", 1, *CORE_FOLDERS.split("|"))),
    ],
)
def test_names_of_limits_metrics_and_folders_are_plain_words(parts: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(parts))}: .* is not "):
        Extension(name="acme", **parts)


def test_the_folders_of_the_core_are_those_that_it_writes() -> None:
    written = {EXPORT, PUBLISHED_FOLDER, INDEX_FOLDER, OVERLAY_FOLDER, pointer(Path()).parent.name}

    assert {*KEPT_FOLDERS, *written} == {*CORE_FOLDERS.split("|")}
