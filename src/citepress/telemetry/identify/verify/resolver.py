"""The system's resolver; used by the side thread of reverse DNS alone."""

import socket
from collections.abc import Sequence


class SystemResolver:
    """Asks the operating system; both methods raise ``OSError`` where there is no answer."""

    def names(self, address: str) -> Sequence[str]:
        """The names of an address."""
        name, others, _ = socket.gethostbyaddr(address)
        return (name, *others)

    def addresses(self, name: str) -> Sequence[str]:
        """The addresses of a name."""
        return [str(found[4][0]) for found in socket.getaddrinfo(name, None, proto=socket.IPPROTO_TCP)]
