"""The coverage verdict: thresholds measured with the index, and the judgement of a topic by one search."""
