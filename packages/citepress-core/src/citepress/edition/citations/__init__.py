"""The forms in which the citation of a record or dataset is written when somebody asks for it."""

from citepress.contract.form import CitationForm
from citepress.edition.citations import bibtex, csl, linkset, ris
from citepress.extension import joined

CORE: tuple[CitationForm, ...] = (bibtex.FORM, ris.FORM, csl.FORM, linkset.FORM)
ALL = joined("citations", CitationForm, CORE, lambda form: (form.name, form.media.type))
