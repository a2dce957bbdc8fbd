"""What the publisher calls the kinds of records, in place of their own words."""

from dataclasses import replace
from functools import lru_cache

from citepress.contract.kind import Kind
from citepress.contract.site import Publication


def labelled(kind: Kind, site: Publication) -> Kind:
    """A kind under the labels of a site."""
    labels = site.kinds.get(kind.name)
    return _relabelled(kind, labels.label or kind.plural, labels.singular or "", site.language) if labels else kind


@lru_cache(maxsize=256)
def _relabelled(kind: Kind, label: str, singular: str, language: str) -> Kind:
    return replace(kind, plural=label, singular=singular or _singular(label), label_language=language)


def _singular(label: str) -> str:
    """An English label for a single record; a label of another form stands for both."""
    if label.endswith("ies"):
        return f"{label[:-3]}y"
    return label[:-1] if label.endswith("s") and not label.endswith("ss") else label
