"""Plain folders of Markdown: read as the tools that they were written for publish them."""
