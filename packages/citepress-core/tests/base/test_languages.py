"""The direction of a language: its script decides, as its tag names it or as Unicode CLDR says it is likely."""

import pytest

from citepress.base.languages import direction, is_in

RTL = "ar ar-EG AR he iw yi fa fa-AF ur ps ks sd ug ckb pnb dv syr arc nqo mzn azb ji rhg"
RTL_BY_SCRIPT = "az-Arab ku-Arab ff-Adlm en-Hebr man-Nkoo uz-Arab-AF und-Thaa zh-yue-Arab"
RTL_BY_REGION = "az-IR pa-PK uz-AF kk-CN"
LTR = "en en-GB de pt-BR zh zh-Hant ja ru tr az ku pa uz und x"
LTR_BY_SCRIPT = "ar-Latn ku-Latn fa-Cyrl yi-Latn az-Latn-IR he-latn"
LTR_BY_REGION = "sd-IN ug-KZ"


@pytest.mark.parametrize("tag", f"{RTL} {RTL_BY_SCRIPT} {RTL_BY_REGION}".split())
def test_a_language_of_a_script_from_right_to_left_is_rtl(tag: str) -> None:
    assert direction(tag) == "rtl"


@pytest.mark.parametrize("tag", f"{LTR} {LTR_BY_SCRIPT} {LTR_BY_REGION}".split())
def test_any_other_language_is_ltr(tag: str) -> None:
    assert direction(tag) == "ltr"


def test_a_variant_lies_in_its_language_and_a_longer_word_does_not() -> None:
    assert is_in("en-GB", "en")
    assert is_in("EN", "en")
    assert not is_in("en", "en-GB")
    assert not is_in("enm", "en")
