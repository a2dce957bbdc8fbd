"""The system's resolver, used only by the background thread of reverse DNS."""

import socket
from collections.abc import Sequence


class SystemResolver:
    """Asks the operating system; both methods raise ``OSError`` without an answer."""

    def names(self, address: str) -> Sequence[str]:
        """The names of an address."""
        name, others, _ = socket.gethostbyaddr(address)
        return (name, *others)

    def addresses(self, name: str) -> Sequence[str]:
        """The addresses of a name."""
        return [str(entry[4][0]) for entry in socket.getaddrinfo(name, None, proto=socket.IPPROTO_TCP)]
