"""Rendered reports in the state folder: one file for each generation, and a pointer that is replaced atomically."""

from pathlib import Path
from tempfile import NamedTemporaryFile

import orjson

from citepress.contract.store import StoreUnavailable
from citepress.edition.overlay import generations, overlay_pointer, pack_name

MAX_KEPT_GENERATIONS = 2
"""Generations to keep: a worker may still be about to open the previous one."""


class LocalOverlay:
    """Rendered live documents of one host; workers map the files."""

    def __init__(self, state: Path) -> None:
        """``state`` is the state folder."""
        self.pointer = overlay_pointer(state)

    def put(self, generation: int, as_of: int, pack: bytes) -> None:
        """Publish a pack; see the port. Raises ``StoreUnavailable`` if the folder cannot be written."""
        try:
            self.pointer.parent.mkdir(parents=True, exist_ok=True)
            _replace(self.pointer.with_name(pack_name(generation)), pack)
            remaining = [generation, *(number for number in generations(self.pointer) if number != generation)][
                :MAX_KEPT_GENERATIONS
            ]
            pointer = {"generations": remaining, "as_of": as_of}
            _replace(self.pointer, orjson.dumps(pointer, option=orjson.OPT_APPEND_NEWLINE))
            names = {pack_name(number) for number in remaining}
            for file in self.pointer.parent.glob("*.pack"):
                if file.name not in names:
                    file.unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(
                f"the reports cannot be written to {self.pointer.parent}: {error.strerror}"
            ) from error

    def newest(self) -> int | None:
        """The newest generation."""
        return next(iter(generations(self.pointer)), None)

    def get(self, generation: int) -> bytes | None:
        """A pack."""
        try:
            return self.pointer.with_name(pack_name(generation)).read_bytes()
        except OSError:
            return None


def _replace(path: Path, data: bytes) -> None:
    """Write a file atomically."""
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as part:
        try:
            part.write(data)
            part.close()
            Path(part.name).chmod(0o644)
            Path(part.name).replace(path)
        except BaseException:
            Path(part.name).unlink(missing_ok=True)
            raise
