"""Purging caches: the keys of an answer, and that a cache is told exactly what changed, again and again if need be."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import pytest

from citepress.contract.site import Site
from citepress.edition.cache_keys import key_fields, keys_of
from citepress.edition.edition import open_edition, pointer
from citepress_fleet.purging import CachePurger, PurgeError, PurgeRequest
from citepress_fleet.settings import Purge
from support.distribution import ArchivePublisher, open_bucket
from support.fake_http_server import Answer, answering
from support.folder import post


@dataclass
class ListeningCache:
    """What a cache was told, and how it answers."""

    statuses: list[int] = field(default_factory=list)
    """Statuses of the next answers; 200 after them."""
    named: list[list[str]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, _path: str, body: bytes) -> Answer:
        with self.lock:
            status = self.statuses.pop(0) if self.statuses else 200
            if status == 200:
                self.named.append(orjson.loads(body)["keys"])
            return Answer(b"{}", status)


def test_keys_name_the_unit_the_collection_and_the_archive() -> None:
    assert keys_of("/posts/one.md", "posts/one") == ("/posts/one", "posts/", "archive")
    assert keys_of("/llms.txt", "") == ("/llms.txt", "archive")
    keys = keys_of("/" + "é" * 500, "")
    assert all(len(key) <= 200 and key.isascii() and " " not in key and "," not in key for key in keys)
    assert key_fields(["Surrogate-Key", "Cache-Tag", "Cache-Groups"], ("/a", "b")) == [
        (b"surrogate-key", b"/a b"),
        (b"cache-tag", b"/a,b"),
        (b"cache-groups", b'"/a", "b"'),
    ]


def test_answers_carry_what_the_configured_cache_reads() -> None:
    cloudflare = Purge(driver="cloudflare", zone="z", secret_env="TOKEN")  # noqa: S106  (the name of a variable)
    assert Site().publication.cache_keys is None
    assert Site(purge=cloudflare).publication.cache_keys == ["Cache-Tag"]
    assert Site(purge=Purge(driver="varnish", urls=["http://127.0.0.1"])).publication.cache_keys == ["Surrogate-Key"]
    assert Site(purge=cloudflare, cache_keys=[]).publication.cache_keys == []


def test_a_cache_is_told_exactly_what_changed(tmp_path: Path) -> None:
    publisher = ArchivePublisher(tmp_path, open_bucket(tmp_path / "bucket"))
    publisher.publish()
    pointed, cache, waits = pointer(publisher.builder.output), ListeningCache(), list[float]()
    with answering(cache.answer) as url:
        purger = CachePurger(Purge(driver="http", urls=[url]), tmp_path, "target", waits.append)
        assert purger.purge(open_edition(pointed)) == ["archive"], "what the cache holds is not known yet"
        assert purger.purge(open_edition(pointed)) == []
        publisher.edit({"content/posts/note-1.md": post("Walruses have arrived.")})
        publisher.publish()
        edition = open_edition(pointed)
        cache.named.clear()
        cache.statuses = [503] * 5
        with pytest.raises(PurgeError, match="answers 503"):
            purger.purge(edition)
        cache.statuses = [503, 503]
        keys = purger.purge(edition)
        assert "/posts/note-1" in keys
        assert "archive" not in keys
        assert not {"/posts/note-2", "/topics/moves", "/posts/note-11"} & set(keys)
        assert cache.named == [keys, keys], "at once, and when every server has the edition"
        assert 5 in waits
        assert purger.purge(edition) == []


def test_each_interface_is_spoken_to_as_it_expects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "value")

    def only(**members: object) -> PurgeRequest:
        (request,) = CachePurger(Purge.model_validate(members), tmp_path, "target").requests(["/a", "b"])
        return request

    fastly = only(driver="fastly", zone="s1", secret_env="TOKEN")  # noqa: S106
    assert fastly == PurgeRequest(
        "POST", "https://api.fastly.com/service/s1/purge", {"Fastly-Key": "value", "Surrogate-Key": "/a b"}
    )
    cloudflare = only(driver="cloudflare", zone="z1", secret_env="TOKEN")  # noqa: S106
    assert cloudflare.url == "https://api.cloudflare.com/client/v4/zones/z1/purge_cache"
    assert cloudflare.fields["Authorization"] == "Bearer value"
    assert orjson.loads(cloudflare.body or b"") == {"tags": ["/a", "b"]}
    varnish = only(driver="varnish", urls=["http://127.0.0.1:6081/"])
    assert varnish == PurgeRequest("PURGE", "http://127.0.0.1:6081/", {"xkey-purge": "/a b"})


def test_a_token_that_others_can_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("value")
    file.chmod(0o644)
    with pytest.raises(PurgeError, match="chmod 600"):
        CachePurger(Purge(driver="http", urls=["http://127.0.0.1"], secret_file=str(file)), tmp_path, "target")
