"""``python -m citepress``."""

from citepress.cli import main

main()
