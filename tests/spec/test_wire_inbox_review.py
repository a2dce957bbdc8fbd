"""From a proposal over the wire to its credit on the page, over a server that keeps running."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.edition.edition import pointer
from support.commands import citepress
from support.folder import folder, markdown, post
from support.running_server import Answer, Server, serving
from support.stores import opened
from support.waiting import until

FILES = {
    "content/posts/one.md": post("The text of the note."),
    "content/posts/two.md": post("Another text."),
    "content/posts/three.md": post("A third text. With a second sentence."),
}


class Publication:
    """A content folder, its state, and the server that watches both."""

    def __init__(self, root: Path, state: Path, server: Server) -> None:
        self.root, self.state, self.server = root, state, server

    def post(self, path: str, body: Any, **fields: str) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.server.ask(path, "POST", data, content_type="application/json", **self.server.client(), **fields)

    def get(self, path: str, **fields: str) -> Answer:
        return self.server.ask(path, **{**self.server.client(), **fields})

    def status(self, id_: str) -> Any:
        return self.get(f"/agent-inbox/submissions/{id_}.json").json()

    def run(self, *words: str, state: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
        place = ["--state", str(state or self.state), "--content", str(self.root)]
        return citepress("inbox", *words, *place, **environment)

    def digest(self) -> str:
        return str(orjson.loads(pointer(self.state).read_bytes())["digest"])


@pytest.fixture(scope="module")
def publication(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Publication]:
    root, state = folder(tmp_path_factory.mktemp("content"), FILES), tmp_path_factory.mktemp("state")
    with serving(root, state, "--watch", rest_limit="100000") as server:
        yield Publication(root, state, server)


CORRECTION = {
    "related_record": "posts/one",
    "claim": "The text of the note.",
    "correction": "The note should say so in other words.",
    "evidence_urls": ["https://evidence.example/one"],
    "agent": {"name": "A careful reader"},
}


def test_a_moderator_sees_invisible_characters_and_the_ascii_form_of_a_host(publication: Publication) -> None:
    body = {
        "url": "https://\u0430pple.com/a",
        "reason": "Family \U0001f469\u200d\U0001f467 note.",
        "agent": {"name": "x\ufe0fy"},
    }
    id_ = publication.post("/agent-inbox/source", body).json()["id"]
    for text in (publication.run("show", id_).stdout, publication.run("digest").stdout):
        assert "url: https://\u0430pple.com/a (host xn--pple-43d.com)" in text
        assert "reason: Family \U0001f469<U+200D>\U0001f467 note." in text
        assert "agent: x<U+FE0F>y" in text
    hidden = {**body, "reason": "A reason\u202e that reads backwards.", "agent": {"name": "zero\u200bwidth"}}
    refused = publication.post("/agent-inbox/source", hidden)
    assert refused.status == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["/reason", "/agent/name"]


@pytest.mark.requirement("moderation")
def test_an_accepted_correction_is_credited_in_the_record_the_feed_and_the_status(publication: Publication) -> None:
    sent = publication.post("/agent-inbox/correction", CORRECTION)
    assert sent.status == 202
    id_ = sent.json()["id"]
    assert publication.status(id_)["status"] == "queued"

    review = publication.run("digest")
    assert id_ in review.stdout, review.stderr
    assert publication.status(id_)["status"] == "in_review"

    assert "text:9:1" in publication.run("show", id_).stdout, "the passage is shown beside it"
    refused = publication.run("accept", id_, "--by", "editor")
    assert refused.returncode == 1
    assert "--replace WORDS" in refused.stderr
    assert "“The text of the note.”" in refused.stderr
    assert publication.status(id_)["status"] == "in_review"

    words = "It says so in other words now."
    accepted = publication.run("accept", id_, "--replace", "The words of the note.", "--note", words, "--by", "editor")
    assert accepted.returncode == 0, accepted.stderr
    assert "-The text of the note.\n+The words of the note.\n" in accepted.stdout, "the diff is shown"

    assert until(lambda: publication.status(id_)["status"] == "credited")
    assert until(lambda: bool(publication.get("/posts/one.json").json()["corrections"])), (
        "the worker opens the new edition within a second"
    )
    record = publication.get("/posts/one.json").json()
    assert [(c["note"], c["credit"], c["submission"]) for c in record["corrections"]] == [
        (words, "A careful reader", id_)
    ]
    assert record["body_markdown"] == "The words of the note."
    assert record["source_urls"] == ["https://evidence.example/one"]
    assert CORRECTION["correction"] not in publication.get("/changes.xml").text, (
        "an agent's own words are not published unasked"
    )
    assert publication.status(id_)["credited_in"] == record["canonical_url"]
    assert "It says so in other words now." in publication.get("/changes.xml").text
    assert "A careful reader" in publication.get("/posts/one/").text


@pytest.mark.requirement("moderation")
def test_an_accepted_usage_receipt_is_credited_in_the_record(publication: Publication) -> None:
    receipt = {"related_record": "posts/two", "use": "An answer on notes.", "agent": {"name": "A grateful reader"}}
    id_ = publication.post("/agent-inbox/usage-receipt", receipt).json()["id"]
    before = publication.get("/posts/two.json").json()
    accepted = publication.run("accept", id_)
    assert accepted.returncode == 0, accepted.stderr
    assert until(lambda: publication.status(id_)["status"] == "credited")
    assert until(lambda: bool(publication.get("/posts/two.json").json()["credits"]))
    after, status = publication.get("/posts/two.json").json(), publication.status(id_)
    assert (status["credited_in"], status["review"]["next_review_at"]) == (after["canonical_url"], None)
    assert [(credit["credit"], credit["submission"]) for credit in after["credits"]] == [("A grateful reader", id_)]
    assert (after["updated_at"], after["revision"]) == (before["updated_at"], before["revision"])
    assert "A grateful reader" in publication.get("/posts/two/").text
    assert "A grateful reader" in publication.get("/posts/two.md").text


@pytest.mark.parametrize(
    ("note", "joined"),
    [
        ("First note of the day", "First note of the day. Credit: A &amp; B."),
        ("It ends. ", "It ends. Credit: A &amp; B."),
    ],
)
def test_a_note_and_its_credit_are_two_sentences_in_the_feed(publication: Publication, note: str, joined: str) -> None:
    reason = f"It says the same, {len(note)}."
    id_ = publication.post(
        "/agent-inbox/source", {"url": f"https://joined.example/{len(note)}", "reason": reason}
    ).json()["id"]
    assert publication.run("accept", id_, "--record", "posts/two", "--note", note, "--credit", "A & B").returncode == 0
    assert until(lambda: joined in publication.get("/changes.xml").text)


def test_a_passage_is_written_in_the_moderators_editor(publication: Publication, tmp_path: Path) -> None:
    id_ = publication.post(
        "/agent-inbox/correction", {**CORRECTION, "related_record": "posts/three", "claim": "third text"}
    ).json()["id"]
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nsed -i s/third/fourth/ "$1"\n')
    editor.chmod(0o755)
    assert "no editor is named" in publication.run("accept", id_, "--edit", EDITOR="", VISUAL="").stderr
    assert "did not leave a text" in publication.run("accept", id_, "--edit", EDITOR="/nowhere/ed").stderr
    accepted = publication.run("accept", id_, "--edit", EDITOR=str(editor))
    assert accepted.returncode == 0, accepted.stderr
    assert "A fourth text. With a second sentence." in (publication.root / "content/posts/three.md").read_text()
    assert until(lambda: publication.status(id_)["status"] == "credited")


def test_a_store_that_is_not_there_is_told_and_not_made(publication: Publication, tmp_path: Path) -> None:
    for words in (["list"], ["digest"], ["export"], ["show", "x"], ["accept", "x"], ["decline", "x"]):
        wrong = publication.run(*words, state=tmp_path / "typo")
        assert (wrong.returncode, wrong.stdout) == (1, "")
        assert "there is no state.sqlite in" in wrong.stderr
    assert not (tmp_path / "typo").exists()


def test_an_empty_list_says_that_it_is(publication: Publication, tmp_path: Path) -> None:
    assert json.loads(publication.run("list", "--status", "duplicate", "--json").stdout) == []
    empty = publication.run("list", "--status", "duplicate")
    assert (empty.stdout, empty.stderr) == ("", "Nothing is duplicate yet.\n"), "nothing that a script takes for an id"
    opened(str(tmp_path / "state.sqlite")).close()
    assert publication.run("list", state=tmp_path).stderr == "There are no submissions yet.\n"


@pytest.mark.requirement("moderation states")
def test_every_step_is_an_event_with_time_and_moderator(publication: Publication) -> None:
    id_ = publication.post(
        "/agent-inbox/source", {"url": "https://source.example/a", "reason": "It says the same."}
    ).json()["id"]
    assert publication.run("note", id_, "Ask a second reader.", "--by", "first").returncode == 0
    assert publication.run("decline", id_, "--note", "Not a primary source.", "--by", "second").returncode == 0
    shown = json.loads(publication.run("show", id_, "--json").stdout)
    assert shown["status"] == "declined"
    assert [(event["by"], event["to"]) for event in shown["history"]][-3:] == [
        ("first", None),
        ("second", "in_review"),
        ("second", "declined"),
    ]
    exported = [json.loads(line) for line in publication.run("export").stdout.splitlines()]
    assert any(row.get("event", {}).get("by") == "second" for row in exported)
    again = publication.run("accept", id_, "--record", "posts/two")
    assert again.returncode == 1
    assert "declined" in again.stderr


def test_several_submissions_are_shown_and_declined_at_once_by_the_beginnings_of_their_ids(
    publication: Publication,
) -> None:
    ids = [
        publication.post(
            "/agent-inbox/source", {"url": f"https://source.example/{name}", "reason": "It says the same."}
        ).json()["id"]
        for name in ("several-1", "several-2")
    ]
    shown = json.loads(publication.run("show", *(id_[:12] for id_ in ids), "--json").stdout)
    assert [row["id"] for row in shown] == ids
    wrong = publication.run("decline", ids[0], "zzzzzzzz")
    assert (wrong.returncode, publication.status(ids[0])["status"]) == (1, "queued")
    assert publication.run("decline", *(id_[:12] for id_ in ids), "--reason", "spam").returncode == 0
    assert [publication.status(id_)["status"] for id_ in ids] == ["declined", "declined"]
    none = publication.run("decline")
    assert none.returncode == 1
    assert "name a submission" in none.stderr


def test_a_duplicate_points_to_what_it_repeats(publication: Publication) -> None:
    first, second = (
        publication.post(
            "/agent-inbox/source", {"url": f"https://source.example/{n}", "reason": "It says the same."}
        ).json()["id"]
        for n in "bc"
    )
    assert publication.run("duplicate", second, first).returncode == 0
    status = publication.status(second)
    assert (status["status"], status["duplicate_of"]) == ("duplicate", first)
    assert publication.status(first)["duplicate_of"] is None
    listed = publication.run("list", "--status", "duplicate")
    assert second in listed.stdout
    assert first not in listed.stdout


def test_a_source_without_a_record_needs_to_be_told_which_one_takes_it(publication: Publication) -> None:
    id_ = publication.post(
        "/agent-inbox/source", {"url": "https://source.example/d", "reason": "It says the same."}
    ).json()["id"]
    refused = publication.run("accept", id_)
    assert refused.returncode == 1
    assert "names no record" in refused.stderr
    accepted = publication.run("accept", id_, "--record", "posts/two")
    assert accepted.returncode == 0, accepted.stderr
    assert until(lambda: "https://source.example/d" in publication.get("/posts/two.json").json()["source_urls"])


@pytest.mark.requirement("general 2")
def test_no_route_publishes_anything(publication: Publication) -> None:
    before = publication.digest()
    files = {path: path.read_bytes() for path in publication.root.rglob("*.md")}
    contract = publication.get("/openapi-route-catalog.json").json()
    for path, methods in contract["paths"].items():
        for method in ("POST", "PUT", "PATCH", "DELETE", *(name.upper() for name in methods)):
            body = {
                **CORRECTION,
                "url": "https://source.example/e",
                "reason": "Drive every route.",
                "use": "Testing.",
                "record_url": "x",
            }
            answer = publication.server.ask(
                path.replace("{slug}", "one").replace("{", "").replace("}", ""),
                method,
                json.dumps(body).encode(),
                content_type="application/json",
                **publication.server.client(),
            )
            unsold = (
                answer.status == 503 and answer.json()["code"] == "rail_unavailable"
            )  # a product that this archive does not sell
            assert answer.status < 500 or unsold, (method, path, answer.text)
    time.sleep(1)
    assert publication.digest() == before
    assert {path: path.read_bytes() for path in publication.root.rglob("*.md")} == files


def test_a_person_may_edit_the_folder_in_the_meantime(publication: Publication) -> None:
    id_ = publication.post("/agent-inbox/correction", {**CORRECTION, "related_record": "posts/two"}).json()["id"]
    (publication.root / "content/posts/two.md").write_text(markdown({"title": "broken"}, "x")[:20], "utf-8")
    refused = publication.run("accept", id_)
    assert refused.returncode == 1
    assert publication.status(id_)["status"] == "queued"
    assert "Traceback" not in refused.stderr


@pytest.mark.requirement("inbox rule 3")
def test_a_tool_queues_what_the_route_queues_and_one_repeats_the_other(publication: Publication) -> None:
    arguments = {"url": "https://source.example/tool", "reason": "It says the same.", "related_record": "posts/one"}
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "submit_source", "arguments": arguments},
    }
    queued = publication.post("/mcp", call, mcp_protocol_version="2025-11-25").json()["result"]["structuredContent"]
    assert queued["status"] == "queued"
    repeated = publication.post("/agent-inbox/source", arguments)
    assert (repeated.status, repeated.json()["id"], repeated.json()["duplicate"]) == (200, queued["id"], True)
    assert publication.status(queued["id"])["status"] == "queued"
