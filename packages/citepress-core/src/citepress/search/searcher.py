"""The searcher of the engine, as one version of an index has it: what it cannot read is an ``EngineError``."""

from pathlib import Path

import tantivy

from citepress.search.wholeness import EngineError, reading


class Searcher:
    """The methods of the engine's searcher, over files that may be damaged."""

    def __init__(self, folder: Path) -> None:
        """Raises ``EngineError`` where the folder holds no index, or none that can be read."""
        try:
            index = tantivy.Index.open(str(folder))
            index.config_reader("manual", 0)
            self.whole = index.searcher()
            self.schema = index.schema
            self.documents, self.segments = int(self.whole.num_docs), int(self.whole.num_segments)
        except (MemoryError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of the engine is no Exception
            raise EngineError(f"{folder.name} holds no search index: {error}") from error
        version = folder.parent
        self.search = reading(self.whole.search, version)
        self.doc = reading(self.whole.doc, version)
        self.doc_freq = reading(self.whole.doc_freq, version)
        self.aggregate = reading(self.whole.aggregate, version)
        self.fast_field_values = reading(self.whole.fast_field_values, version)
        self.terms_with_prefix = reading(self.whole.terms_with_prefix, version)
