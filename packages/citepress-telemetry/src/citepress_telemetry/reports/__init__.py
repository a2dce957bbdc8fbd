"""Reports: from sums to the published documents and the page."""
