"""The door: it finds the leaf of a path, settles form, coding, conditions and limits, and sends it."""
