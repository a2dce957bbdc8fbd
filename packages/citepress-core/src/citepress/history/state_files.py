"""The files of the state folder that hold what was published before; a backup copies ``KEPT_FOLDERS``."""

# Names and formats stay as the first version wrote them: a version that looked elsewhere would find no numbers and give
# published ones to other words, and so would the former version after a step back.
REVISIONS = "revisions"
"""The folder of the next three, which one lock guards."""
PACK_FILE = "revisions.log"
"""What each revision said, of records without a history in Git; only ever added to."""
NUMBERS_FILE = "numbers.json"
"""The highest number that was given, and whether commits gave it."""
NAMES_FILE = "published.log"
"""Records and versions of datasets that were shown under a public address; only ever added to."""
LOG = "log"
"""The folder of the next two: the logs of editions, which are signed and only ever added to."""
EDITIONS_LOG, EXPORT_LOG = f"{LOG}/editions.jsonl", f"{LOG}/export.jsonl"
"""Of what a service shows, and of what ``citepress build`` wrote: two sites of different files."""
HEAD_FILE = "{log}.head"
"""The newest head of such a log, outside of its folder, and so of backups too."""
JOURNAL_FILE = "editions.log"
"""What each edition changed, beside the edition; ``citepress diff`` reads it, and the oldest entries are forgotten."""
KEPT_FOLDERS = (LOG, REVISIONS)
"""What cannot be built again. Files only grow or are replaced whole, so they can be copied while they are in use."""
KEPT_FILE = "kept.json"
"""Databases and folders of every package that this state was used with, so that a backup has those of removed ones."""
