"""The documents by which an edition is verified: made from the log beside the edition when somebody asks for one."""

from citepress.base.media import JSON, KEY_DIRECTORY, OCTETS, PLAIN_TEXT
from citepress.contract.cache import Cache
from citepress.contract.document import Document, Parameter, Section, nothing_stored
from citepress.edition.render_context import RenderContext
from citepress.edition.verification.models import EditionHead, EditionShard, KeyDirectory
from citepress.transparency.tiles import TILE

DIRECTORY = "/.well-known/http-message-signatures-directory"
EDITION_HEAD_PATH = "/.well-known/edition.json"
SHARD = "/.well-known/edition/shards/{shard}.json"
LOG = "/.well-known/edition/log"
CHECKPOINT, TILES = f"{LOG}/checkpoint", f"{LOG}/tile/{{tile}}"
_SHARD = Parameter(
    "shard", "The first digits of the SHA-256 of a path, as many as the edition says.", r"[0-9a-f]{1,5}", "0"
)
_TILE = Parameter("tile", "The name of a tile, as C2SP tlog-tiles writes it.", TILE, "0/000.p/1")


ALL = (
    Document[RenderContext](
        "edition",
        EDITION_HEAD_PATH,
        JSON,
        Section.DISCOVERY,
        "The edition that is published now: number, digest, and the signed head of the log of all editions.",
        nothing_stored,
        "EditionHead",
        EditionHead,
        cache=Cache.LIVE,
        promised=False,
    ),
    Document[RenderContext](
        "edition_shard",
        SHARD,
        JSON,
        Section.DISCOVERY,
        "A part of the edition's tree: the SHA-256 of every file whose path belongs to it, with its audit path.",
        nothing_stored,
        "EditionShard",
        EditionShard,
        (_SHARD,),
        cache=Cache.LIVE,
        promised=False,
    ),
    Document[RenderContext](
        "edition_log_checkpoint",
        CHECKPOINT,
        PLAIN_TEXT,
        Section.EXTRAS,
        "The signed head of the log of editions (C2SP checkpoint).",
        nothing_stored,
        cache=Cache.LIVE,
        promised=False,
    ),
    Document[RenderContext](
        "edition_log_tile",
        TILES,
        OCTETS,
        Section.EXTRAS,
        "Hashes or entries of the log of editions (C2SP tlog-tiles).",
        nothing_stored,
        parameters=(_TILE,),
        cache=Cache.ASSET,
        promised=False,
    ),
    Document[RenderContext](
        "signature_directory",
        DIRECTORY,
        KEY_DIRECTORY,
        Section.EXTRAS,
        "The keys with which this archive signs its own requests and the log of editions (Web Bot Auth).",
        nothing_stored,
        "KeyDirectory",
        KeyDirectory,
        promised=False,
    ),
)
