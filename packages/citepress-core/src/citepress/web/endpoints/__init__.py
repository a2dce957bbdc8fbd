"""The endpoints that run code: operations, paid products and the search page, with the context that they share."""
