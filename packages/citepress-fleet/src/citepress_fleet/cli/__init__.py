"""The commands that publish editions and serve from an object store."""
