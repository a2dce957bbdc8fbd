"""Datasets: the same rows as JSON and CSV, a schema that both fit, linked data that loaders read, digests that hold."""

import base64
import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import frictionless
import mlcroissant
import pytest

from citepress.archive.model import Archive, Column, Dataset, DatasetVersion
from citepress.edition.edition import open_edition
from citepress.edition.leaf import Leaf
from citepress.edition.served import Coded
from support.archive import SITE, entry
from support.documents import faults, json_of, leaves, whole
from support.edition import printed

ROW = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$defs": {"share": {"type": ["number", "null"], "minimum": 0, "maximum": 1}},
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "stars": {"type": "integer"},
        "share": {"$ref": "#/$defs/share"},
        "open": {"type": "boolean"},
        "since": {"type": ["string", "null"], "format": "date"},
        "home": {"type": "string", "format": "uri"},
    },
    "required": ["name", "stars", "share", "open", "since", "home"],
    "additionalProperties": False,
}
COLUMNS = (
    Column("name", "string", "What it is called."),
    Column("stars", "integer", "How many."),
    Column("share", "number", "How much."),
    Column("open", "boolean", "Whether."),
    Column("since", "string", "When.", "date"),
    Column("home", "string", "Where.", "uri"),
)
PLACE = "/datasets/tools"


def row(number: int) -> dict[str, Any]:
    odd = number % 2 == 1
    return {
        "name": f'tool "{number}", ü',
        "stars": number,
        "share": None if odd else number / 100,
        "open": odd,
        "since": None if odd else f"2026-01-{number % 28 + 1:02d}",
        "home": f"https://tool.example/{number}",
    }


def written(rows: tuple[dict[str, Any], ...]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(column.name for column in COLUMNS)
    writer.writerows(
        ["" if v is None else str(v).lower() if isinstance(v, bool) else v for v in row.values()] for row in rows
    )
    return out.getvalue().encode()


def version(name: str, count: int) -> DatasetVersion:
    rows = tuple(row(number) for number in range(count))
    return DatasetVersion(name, COLUMNS, rows, ROW, written(rows), ("name",))


def archive() -> Archive:
    dataset = Dataset(
        name="tools",
        title="Tools",
        summary="Tools that were looked at for this test.",
        license="CC-BY-4.0",
        creator="Test press",
        published=datetime(2026, 2, 1, tzinfo=UTC),
        updated=datetime(2026, 3, 4, tzinfo=UTC),
        keywords=("tools", "tests"),
        topics=("moves",),
        readme="## Method\n\nWe looked.",
        sources=(("The specification", "https://spec.example/one/#part", "https://spec.example/one"),),
        versions=(version("v1", 3), version("v2", 60)),
    )
    return whole(entry("topics/moves"), datasets=(dataset,))


@cache
def edition() -> dict[str, Leaf]:
    return leaves(archive())


def linked(kind: str) -> Any:
    html = edition()[f"{PLACE}/"].body.decode()
    blocks = re.findall(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    return next(node for node in map(json.loads, blocks) if node.get("@type") == kind)


def test_each_version_is_there_as_json_and_as_csv() -> None:
    for name, count in (("v1", 3), ("v2", 60)):
        document, text = json_of(edition()[f"{PLACE}/{name}.json"]), edition()[f"{PLACE}/{name}.csv"]
        assert document["row_count"] == len(document["rows"]) == count
        assert document["csv_url"] == SITE.url(text.path)
        assert document["csv_digest"] == f"sha-256:{hashlib.sha256(text.body).hexdigest()}"
        assert text.type == "text/plain; charset=utf-8"
        assert len(list(csv.DictReader(io.StringIO(text.body.decode())))) == count


@pytest.mark.parametrize("path", [f"{PLACE}/v1.json", f"{PLACE}/v2.json"])
def test_a_version_fits_the_general_schema_and_the_one_of_its_dataset(path: str) -> None:
    document = json_of(edition()[path])
    own = json_of(edition()[f"{PLACE}/schema.json"])
    assert own["$id"] == document["schema_url"] == SITE.url(f"{PLACE}/schema.json")
    assert faults(json_of(edition()["/schemas/AuthorityDataset.json"]), document) == []
    assert faults(own, document) == []


def test_a_row_fits_the_schema_and_a_wrong_one_does_not() -> None:
    schema = json_of(edition()[f"{PLACE}/schema.json"])
    rows = json_of(edition()[f"{PLACE}/v2.json"])["rows"]
    assert [faults(schema, row) for row in rows[:3]] == [[], [], []]
    assert faults(schema, rows[0] | {"share": 2})
    assert faults(schema, json_of(edition()[f"{PLACE}/v2.json"]) | {"rows": [{"name": "alone"}]})


def test_only_the_newest_version_is_described_by_the_schema_of_the_dataset() -> None:
    link = f'<{SITE.url(f"{PLACE}/schema.json")}>; rel="describedby"'
    assert link in edition()[f"{PLACE}/v2.json"].links
    assert link in edition()[f"{PLACE}/v2.csv"].links
    assert link not in edition()[f"{PLACE}/v1.json"].links


@pytest.mark.parametrize(
    ("path", "schema"), [("/datasets.json", "DatasetIndex"), (f"{PLACE}.json", "DatasetDescription")]
)
def test_the_descriptions_fit_their_schemas(path: str, schema: str) -> None:
    assert faults(json_of(edition()[f"/schemas/{schema}.json"]), json_of(edition()[path])) == []


def test_the_landing_page_shows_columns_versions_a_bounded_preview_and_how_to_cite() -> None:
    text = edition()[f"{PLACE}.md"].body.decode()
    assert text.count("| tool ") == 50
    assert "The first 50 of 60 rows of Tools, v2." in text
    assert "| since | string (date) | When. |" in text
    assert all(
        f"]({SITE.url(f'{PLACE}/{name}')})" in text
        for name in ("v1.csv", "v1.json", "v2.csv", "v2.json", "schema.json")
    )
    line = "Test press. (2026, February 1). Tools (Version v2, 2026-03-04) [Data set]. Test archive."
    assert f"{line} <{SITE.url(f'{PLACE}/')}>" in text.replace("\\", "")
    assert "We looked." in text


def test_the_landing_page_leads_to_its_citation_and_numbers_its_sources() -> None:
    html = edition()["/datasets/tools/"].body.decode()
    head = html.partition("<section")[0]
    assert 'Cite: <a href="#cite">as text</a>' in head
    sources = html.partition('id="sources"')[2].partition("</section>")[0]
    assert "<ol>" in sources
    assert "https://spec.example/one/#part" in sources
    assert "Show all 50 rows of this table" in html


def test_the_overview_without_datasets_says_so() -> None:
    bare = leaves(whole(entry("posts/one")))
    assert json_of(bare["/datasets.json"])["items"] == []
    assert "no datasets yet" in bare["/datasets.md"].body.decode()


def test_the_landing_page_is_a_dataset_of_schema_org() -> None:
    dataset = linked("Dataset")
    assert dataset["@context"] == "https://schema.org"
    assert {file["contentUrl"] for file in dataset["distribution"]} == {
        SITE.url(f"{PLACE}/v2.csv"),
        SITE.url(f"{PLACE}/v2.json"),
    }
    assert dataset["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert [variable["name"] for variable in dataset["variableMeasured"]] == [column.name for column in COLUMNS]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the judge's own libraries
def test_croissant_reads_the_landing_page_and_the_rows(tmp_path: Path) -> None:
    file = tmp_path / "v2.csv"
    file.write_bytes(edition()[f"{PLACE}/v2.csv"].body)
    node = linked("sc:Dataset")
    dataset = mlcroissant.Dataset(jsonld=node, mapping={"v2.csv": file})
    assert dataset.metadata.ctx.issues.report() == ""
    assert dataset.metadata.ctx.is_v1_1()
    assert node["distribution"][0]["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    rows = list(dataset.records("rows"))
    assert len(rows) == 60
    assert rows[1]["rows/name"] == 'tool "1", ü'.encode()
    assert [row["rows/stars"] for row in rows] == list(range(60))


def test_frictionless_finds_no_fault_in_the_csv(tmp_path: Path) -> None:
    (tmp_path / "v2.csv").write_bytes(edition()[f"{PLACE}/v2.csv"].body)
    resource = frictionless.Resource(path="v2.csv", basepath=str(tmp_path))
    report = resource.validate()
    assert report.valid, report.flatten(["rowNumber", "note"])
    assert [row["stars"] for row in resource.read_rows()] == list(range(60))


def fields(coded: Coded) -> dict[bytes, bytes]:
    return dict(coded.headers)


def test_repr_digest_is_of_the_bytes_that_are_sent_in_each_coding(tmp_path: Path) -> None:
    """RFC 9530: the digest covers the representation with its content coding, so no two codings share one."""
    served = open_edition(printed(tmp_path, edition().values())).find(f"{PLACE}/v2.csv")
    assert served
    assert served.codings == ("br", "zstd", "gzip", "identity")
    for coded in (served.coded[coding] for coding in served.codings):
        digest = base64.b64encode(hashlib.sha256(coded.body).digest()).decode()
        assert fields(coded)[b"repr-digest"] == f"sha-256=:{digest}:".encode()
        assert b"repr-digest" not in dict(coded.unchanged)


def test_only_the_files_of_a_dataset_carry_a_digest(tmp_path: Path) -> None:
    digested = {path for path, leaf in edition().items() if leaf.digested}
    assert digested == {f"{PLACE}/{name}.{ending}" for name in ("v1", "v2") for ending in ("csv", "json")}
    served = open_edition(printed(tmp_path, edition().values())).find("/datasets.json")
    assert served
    assert b"repr-digest" not in fields(served.coded["identity"])


def test_a_table_of_one_row_is_counted_and_shown_as_one() -> None:
    (tools,) = archive().datasets
    short = whole(entry("topics/moves"), datasets=(replace(tools, versions=(version("v1", 1),)),))
    text = leaves(short)[f"{PLACE}.md"].body.decode()
    assert ": 1 row as CSV (RFC 4180); " in text
    assert "\nAll rows of Tools, v1.\n" in text
