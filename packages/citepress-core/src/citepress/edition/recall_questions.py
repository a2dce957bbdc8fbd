"""The questions of the recall probes that an edition publishes, for those who count what is asked."""

from collections.abc import Iterator

from citepress.base import fast_json
from citepress.edition.edition import Edition

PATH = "/recall-probes.json"


def recall_questions(edition: Edition) -> Iterator[str]:
    """Every question of every published set."""
    body = edition.body(PATH)
    if body is None:
        return
    for probe_set in fast_json.loads(body)["probe_sets"]:
        for probe in probe_set["probes"]:
            yield probe["question"]
