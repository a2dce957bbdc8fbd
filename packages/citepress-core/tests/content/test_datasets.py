"""Datasets: typed cells, every fault at its cell, canonical bytes."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import frictionless
import pytest

from support.folder import assembled, fault_places, folder, markdown, reading, topic

README = markdown(
    {
        "title": "Rows",
        "summary": "Some rows.",
        "date": "2026-05-01",
        "keywords": ["k"],
        "sources": ["https://a.example/x/"],
    },
    "About them.",
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "description": "Number"},
        "name": {"type": "string", "maxLength": 10},
        "share": {"type": ["number", "null"]},
        "open": {"type": "boolean"},
        "day": {"type": ["string", "null"], "format": "date"},
    },
    "required": ["id", "name"],
    "additionalProperties": False,
    "x-citepress-primary-key": "id",
}
ROWS = 'id,name,share,open,day\n1,One,0.5,true,2026-05-01\n2,"Two, too",,false,\n'


def dataset(path: Path, rows: str | bytes = ROWS, schema: str | None = None, readme: str = README) -> Path:
    return folder(
        path,
        {
            "datasets/rows/v1.csv": rows,
            "datasets/rows/schema.json": schema or json.dumps(SCHEMA),
            "datasets/rows/README.md": readme,
        },
    )


def test_cells_have_the_types_of_the_schema(tmp_path: Path) -> None:
    loaded = assembled(dataset(tmp_path)).datasets[0]
    version = loaded.versions[0]
    assert version.rows == (
        {"id": 1, "name": "One", "share": 0.5, "open": True, "day": "2026-05-01"},
        {"id": 2, "name": "Two, too", "share": None, "open": False, "day": None},
    )
    assert [(column.name, column.type, column.format) for column in version.columns][-2:] == [
        ("open", "boolean", ""),
        ("day", "string", "date"),
    ]
    assert version.primary_key == ("id",)
    assert loaded.sources == (("a.example", "https://a.example/x/", "https://a.example/x"),)
    assert (loaded.creator, loaded.license) == ("Test archive", "all rights reserved")


def test_the_published_bytes_are_canonical_and_read_back_the_same(tmp_path: Path) -> None:
    rows = 'id,"name",share,open,day\r\n1,"One",0.5,TRUE,2026-05-01\r\n2,"Two, too",,false,\r\n'
    version = assembled(dataset(tmp_path, b"\xef\xbb\xbf" + rows.encode())).datasets[0].versions[0]
    assert version.csv == b'id,name,share,open,day\r\n1,One,0.5,true,2026-05-01\r\n2,"Two, too",,false,\r\n'
    assert list(csv.reader(io.StringIO(version.csv.decode())))[1] == ["1", "One", "0.5", "true", "2026-05-01"]


def test_another_reader_agrees_about_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_bytes(assembled(dataset(tmp_path / "in")).datasets[0].versions[0].csv)
    resource = frictionless.Resource(path="out.csv", basepath=str(tmp_path))
    assert [row["name"] for row in resource.read_rows()] == ["One", "Two, too"]


@pytest.mark.parametrize(
    ("rows", "where", "message"),
    [
        ("id,name\nx,One\n", "2:1", 'id: "x" is not of type "integer"'),
        ("id,name\n1,One\n2,\n", "3:3", "name: is empty"),
        ("id,name,share\n1,One,12345678901234567890\n", "2:7", 'share: "12345678901234567890" is not of types '),
        ("id,name,day\n1,One,2026-13-01\n", "2:7", 'day: "2026-13-01" is not a "date"'),
        ('id,name,day\n1,"a\nb",x\n', "3:4", 'day: "x" is not a "date"'),
        ("id,name\n1,One,Two\n", "2:1", "has 3 cells; the header has 2"),
        ("id,name\n1,One\n1,Two\n", "3:1", "the key 1 is on line 2 too"),
        ("id,nmae\n1,One\n", "1:4", "the column 'nmae' is not in schema.json"),
        ("id,id\n1,1\n", "1:4", "the column 'id' is given twice"),
        ("", "1:1", "the header row is missing"),
        ('id,name\n1,"One\n', "2:1", "the row that begins here cannot be read"),
    ],
)
def test_a_wrong_cell_is_told_with_line_and_column(tmp_path: Path, rows: str, where: str, message: str) -> None:
    fault = reading(dataset(tmp_path, rows)).faults[-1]
    assert fault_places([fault]) == [f"datasets/rows/v1.csv:{where} CP031"]
    assert fault.message.startswith(message)


def test_a_number_with_more_digits_than_a_number_keeps_is_a_fault_with_the_next_step(tmp_path: Path) -> None:
    rows = "id,name,share\n1,One,0.1234567890123456789\n2,Two,1.000000000000000056e-01\n3,Three,1e21\n"
    (fault,) = reading(dataset(tmp_path, rows)).faults
    assert (fault.place.line, fault.hint) == (
        2,
        'a number keeps fewer digits: let schema.json have "type": "string" for share',
    )


def test_fifty_faults_are_told_and_the_rest_counted(tmp_path: Path) -> None:
    faults = reading(dataset(tmp_path, "id,name\n" + "".join(f"x{n},One\n" for n in range(80)))).faults
    assert len(faults) == 51
    assert faults[-1].message == "and 30 more faults in this file"


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ("{", "1:2"),
        ("[]", "1:1"),
        ('{"properties": {"id": {"type": "whole"}}}', "1:1"),
        ('{"properties": {"id": {"$ref": "http://127.0.0.1:9/x"}}}', "1:1"),
        ('{"properties": ' + '{"a":' * 20_000, "1:5132"),
    ],
)
def test_a_schema_that_is_none_is_told(tmp_path: Path, schema: str, where: str) -> None:
    assert fault_places(reading(dataset(tmp_path, schema=schema)).faults) == [
        f"datasets/rows/schema.json:{where} CP031"
    ]


def test_what_is_missing_or_misnamed_is_told(tmp_path: Path) -> None:
    root = folder(
        tmp_path, {"datasets/rows/latest.csv": ROWS, "datasets/rows/notes.txt": "x", "datasets/Bad Name/v1.csv": ROWS}
    )
    assert fault_places(reading(root).faults) == [
        "datasets/Bad Name:0:0 CP003",
        "datasets/rows:0:0 CP031",
        "datasets/rows/latest.csv:0:0 CP003",
    ]


def test_the_readme_is_checked_like_a_record(tmp_path: Path) -> None:
    readme = markdown({"title": "R", "summary": "S", "date": "2026-05-01", "lastmod": "2026-04-01", "version": "v2"})
    assert fault_places(reading(dataset(tmp_path, readme=readme)).faults) == [
        "datasets/rows/README.md:5:10 CP024",
        "datasets/rows/README.md:6:10 CP031",
    ]


def test_versions_stand_oldest_first_and_topics_are_checked(tmp_path: Path) -> None:
    readme = README.replace("title:", "topics: [motion]\ntitle:")
    root = dataset(tmp_path, readme=readme)
    folder(root, {"datasets/rows/v10.csv": ROWS, "datasets/rows/v2.csv": ROWS, "content/topics/motion.md": topic()})
    loaded = assembled(root).datasets[0]
    assert [version.version for version in loaded.versions] == ["v1", "v2", "v10"]
    assert loaded.topics == ("motion",)
