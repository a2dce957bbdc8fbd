"""The file of a note, whose front matter is written as its tool reads it, under keys of that tool."""

from dataclasses import dataclass

from citepress.content.files import printable_path
from citepress.content.front_mapping import front_mapping
from citepress.content.source_map import TOML, FrontMatter, SourceFile
from citepress.contract.fault import UNREADABLE, Fault, Faults, Span
from citepress.contract.refs import Location
from citepress_notes.document_texts import UnreadableDocumentError, document_matter, is_document
from citepress_notes.metadata_lines import split_note
from citepress_notes.usual_keys import placed_paths

_HINT = "correct the file, or write the text in Markdown"


@dataclass(frozen=True, slots=True)
class NoteFile(SourceFile):
    """A file of a plain folder whose values can be found again."""

    metadata: str = ""
    """The tool whose own notation of front matter is read."""

    def split(self, text: str) -> FrontMatter:
        """The front matter and text that its words are."""
        if is_document(self.file):
            try:
                return document_matter(text, self.file)
            except UnreadableDocumentError as error:
                raise Faults([Fault.at(UNREADABLE, Span(printable_path(self.file)), str(error), _HINT)]) from None
        return split_note(text, metadata=self.metadata)

    def alias_place(self, alias: str, place: int) -> Location:
        """Where an alias is written, which may be under the key of another tool."""
        matter = self.matter
        if not (matter.front and matter.closed):
            return "aliases", place
        return placed_paths(front_mapping(self, matter), paths=matter.format is TOML).get(alias, ("aliases", place))
