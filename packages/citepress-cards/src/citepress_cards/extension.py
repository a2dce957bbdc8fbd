"""What this package adds to citepress."""

from citepress.extension import Extension

EXTENSION = Extension(name="cards", documents="citepress_cards.declared:ALL")
