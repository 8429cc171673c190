"""Loaded by pytest before the settings: tests never touch the data folder of a running installation.

``--database postgresql`` runs them on a PostgreSQL server that is started for them alone.
"""

import atexit
import os
import shutil
import tempfile
from functools import cache
from hashlib import sha256

import pytest

from tests import postgresql_server

SERVERS: list[postgresql_server.Server] = []
FOLDER = tempfile.mkdtemp(prefix="neardup-tests-")
os.environ["NEARDUP_DATA_DIR"] = FOLDER
os.environ["NEARDUP_SECRET_KEY"] = "a key that only the tests know"
for name in (
    "DATABASE_URL",
    "NEARDUP_ALLOWED_HOSTS",
    "NEARDUP_BEHIND_TLS_PROXY",
    "NEARDUP_DEBUG",
    "NEARDUP_UPLOAD_LIMIT_MB",
):
    os.environ.pop(name, None)
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def pytest_addoption(parser):
    parser.addoption(
        "--database",
        choices=["sqlite", "postgresql"],
        default="sqlite",
        help="The database of the tests; postgresql starts a private server from the installed programs.",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Start the server before pytest-django reads the settings."""
    if early_config.known_args_namespace.database == "postgresql":
        if postgresql_server.programs() is None:
            raise pytest.UsageError(postgresql_server.LEFT_OUT)
        server = postgresql_server.Server()
        server.start()
        os.environ["DATABASE_URL"] = server.address()
        SERVERS.append(server)
    return (yield)


@pytest.fixture(scope="session")
def postgresql():
    """The private PostgreSQL server; what needs it runs only with ``--database postgresql``."""
    if not SERVERS:
        pytest.skip("needs PostgreSQL: run with --database postgresql")
    return SERVERS[0]


@cache
def own_address(folder):
    """What ``DATABASE_URL`` says for an installation in this folder: a database of its own, or nothing for SQLite."""
    name = f"i{sha256(str(folder).encode()).hexdigest()[:20]}"
    return SERVERS[0].make_database(name) if SERVERS else ""
