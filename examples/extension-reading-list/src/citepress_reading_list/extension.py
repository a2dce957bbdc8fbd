"""What the reading list adds to citepress; every command reads this file, so it imports nothing else."""

from citepress.extension import Command, Extension

EXAMPLES = {"reading-list": ("reading-list archive", "Prints one title a line.")}
SUMMARY = "Print the books that are not read yet."
EXTENSION = Extension(
    name="reading-list",
    commands=(Command("reading-list", "citepress_reading_list.command:reading_list", SUMMARY, EXAMPLES),),
    kinds="citepress_reading_list.books:KINDS",
    documents="citepress_reading_list.unread:DOCUMENTS",
    operations="citepress_reading_list.unread:OPERATIONS",
    tables="citepress_reading_list.settings:TABLES",
)
