"""Running text and the small parts of pages, as HTML and Markdown write them."""
