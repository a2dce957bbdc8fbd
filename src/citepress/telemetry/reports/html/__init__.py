"""The page on machine readers, chart by chart."""
