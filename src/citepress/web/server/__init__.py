"""Our HTTP/1.1 server: sockets and processes at the bottom, requests out of bytes in the middle, answers of the door on top."""
