"""The pages that people read, with the documents beside them."""
