"""Help for authors in their editors: JSON Schemas of what they write, and a skill for agents that write."""
