"""The built-in HTTP/1.1 server: worker processes, connections, the request parser and response headers."""
