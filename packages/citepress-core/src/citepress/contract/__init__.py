"""What can be declared: kinds, forms, documents, limits, problems, faults; and the table that is derived from them."""
