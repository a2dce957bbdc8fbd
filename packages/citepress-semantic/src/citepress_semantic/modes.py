"""What makes the vector of a question: the model, or a table fitted to what the model said of the archive's records."""

from citepress.search.calibration import MIN_CALIBRATED_RECORDS
from citepress.search.models import VectorMode, Weights

# Shares are fitted on six public collections, lines and weights by ``bench/retrieval/lines.py``.
ENCODER = VectorMode("encoder", "the model", 0.4, (1.0, 3.15), Weights(-4.30, 0.94, 1.61, 0.0, 0.0, 2.0, 6.68))
# A table that is fitted to a handful of records finds all of them alike.
TABLE = VectorMode(
    "table", "the table", 0.3, (1.5, 3.0), Weights(-5.72, 2.08, 2.78, 0.0, 0.79, 2.0, 3.54), MIN_CALIBRATED_RECORDS
)
MODES = (ENCODER, TABLE)
