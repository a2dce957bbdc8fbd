"""``citepress verify``: check what an archive published, without trusting the server that sent it."""

from pathlib import Path

from citepress.base.text import counted
from citepress.cli.console import answer, complain
from citepress.transparency.checkpoints import CheckpointError, key_of
from citepress_verify.proofs import VerificationError
from citepress_verify.verification import TOTAL_S, KnownLogs, VerifiedFile
from citepress_verify.verification import verify as verified


def verify(
    target: str,
    /,
    *,
    key: str | None = None,
    proof: Path | None = None,
    save: Path | None = None,
    heads: Path | None = None,
    timeout: float = TOTAL_S,
    json: bool = False,
) -> int:
    """Check an address or a file against the publisher's signed log of editions.

    Parameters
    ----------
    target
        An address of an archive, a file of an export, or a copy with its --proof.
    key
        The publisher's public key; by default the remembered one, or the first one.
    proof
        What --save kept for a copy of a file.
    save
        File to keep the proof in.
    heads
        File that remembers heads of logs; by default in the home folder.
    timeout
        Seconds that the archive has for all its answers.
    json
        Print JSON.
    """
    if proof and target.startswith(("http://", "https://")):
        complain("--proof goes with a file; an address is checked by what its archive publishes")
        return 2
    if not timeout > 0:
        complain(f"--timeout {timeout:g}: write a number of seconds above 0")
        return 2
    try:
        trusted = key_of(key) if key else None
    except CheckpointError as error:
        complain(f"--key: {error}")
        return 2
    try:
        result = verified(target, key=trusted, logs=KnownLogs(heads), proof=proof, seconds=timeout)
    except VerificationError as error:
        complain(_printable(f"{target} is not verified: {error}"))
        return 1
    if save and not _saved(result, save):
        return 1
    answer(_sentences(target, result), _members(result), as_json=json)
    return 0


def _saved(result: VerifiedFile, file: Path) -> bool:
    """Keep the proof in a file; whether that could be written."""
    try:
        file.write_bytes(result.evidence.proof())
    except OSError as error:
        complain(f"{file} cannot be written: {error.strerror}")
        return False
    return True


def _printable(words: str) -> str:
    """Words of a stranger's server, without what a terminal would carry out."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in words)


def _sentences(target: str, result: VerifiedFile) -> str:
    entry, checkpoint = result.head.entry, result.head.checkpoint
    reason = {
        "named": "the key that you named",
        "remembered": "the key that was seen before",
        "first": "a key that is seen for the first time and is remembered from now on",
    }[result.trust]
    if result.since is None:
        grown = "" if result.trust == "first" else " It was compared with no head of before."
    elif result.since == checkpoint.size:
        grown = " It is the head that was seen before."
    else:
        grown = f" The log only grew: it had {counted(result.since, 'edition')} when it was seen before."
    return (
        f"{target} is {_printable(result.path)} of edition {entry.number} of {_printable(checkpoint.origin)},"
        f" published {_printable(entry.published_at)}.\n"
        f"SHA-256 {result.sha256}\n"
        f"The head of its log is signed with {result.head.signers[0]}, {reason}.{grown}"
    )


def _members(result: VerifiedFile) -> dict[str, object]:
    entry, checkpoint = result.head.entry, result.head.checkpoint
    return {
        "origin": checkpoint.origin,
        "path": result.path,
        "sha256": result.sha256,
        "edition": entry.number,
        "digest": entry.digest,
        "published_at": entry.published_at,
        "key": result.head.signers[0],
        "trust": result.trust,
        "log_size": checkpoint.size,
        "compared_with": result.since,
    }
