"""Research bundles: the choice of independent records on a question, and what is published of them."""
