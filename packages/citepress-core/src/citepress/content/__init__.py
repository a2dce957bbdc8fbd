"""Reading a content folder: the only room that touches the publisher's files."""
