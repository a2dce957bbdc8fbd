"""Sums of hours: how windows are cut into days and hours, and how rollups and pairs of pages are added."""
