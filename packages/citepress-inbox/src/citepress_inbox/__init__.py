"""Submissions to an archive: their queue, their review, and how they are credited."""
