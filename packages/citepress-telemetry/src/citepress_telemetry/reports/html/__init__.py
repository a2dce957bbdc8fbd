"""The page about machine readers, chart by chart."""
