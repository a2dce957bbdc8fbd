"""What one extension alone may give: a second one is refused with both named, and nothing asks where there is none."""

import sys
from collections.abc import Callable, Iterator

import pytest

from citepress import extension
from citepress.contract.picture import pictures_of
from citepress.contract.site import Site
from citepress.extension import Extension, ExtensionError, Installed, provider

Install = Callable[..., None]


def pictures(_site: Site) -> str:
    return "drawn"


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Makes the extensions of these names, which all give pictures, the installed ones."""

    def installed(*names: str) -> None:
        given = [Extension(name=name, pictures=f"{__name__}:pictures") for name in names]
        sources = tuple(Installed(each, each.name, f"citepress-{each.name}", "1") for each in given)
        monkeypatch.setattr(extension, "installed", lambda: sources)
        monkeypatch.setattr(extension, "import_module", lambda name: sys.modules[name])

    _forget()
    yield installed
    _forget()


def _forget() -> None:
    for cached in (extension._declared, provider):  # noqa: SLF001
        cached.cache_clear()


def test_one_extension_gives_what_one_alone_may_give(install: Install) -> None:
    install("brush")
    assert pictures_of(Site()) == "drawn"


def test_a_second_one_is_refused_with_both_named(install: Install) -> None:
    install("brush", "pencil")
    with pytest.raises(ExtensionError, match="citepress-brush and citepress-pencil both give pictures"):
        pictures_of(Site())


def test_without_any_there_is_none(install: Install) -> None:
    install()
    assert pictures_of(Site()) is None
