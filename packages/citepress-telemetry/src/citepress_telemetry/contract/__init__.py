"""The reports on what machines read here: their shapes, their words, and their honest empty form."""
