"""What makes the vector of a question: the model, or a table fitted to what the model said of the archive's records."""

from citepress.search.models import VectorMode

# Shares are fitted on six public collections by ``bench/retrieval``.
ENCODER = VectorMode("encoder", "the model", 0.4)
TABLE = VectorMode("table", "the table", 0.3)
MODES = (ENCODER, TABLE)
