"""A PostgreSQL server of the tests' own, from the programs that are installed; it listens on a socket only."""

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

DEBIAN = Path("/usr/lib/postgresql")
USER = "neardup"
PORT = 5432
# Nothing here outlives the tests, so nothing has to reach the disk.
HASTE = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=60"
LEFT_OUT = (
    "Left out: the tests on PostgreSQL. They need its server programs (initdb, pg_ctl): "
    "sudo apt-get install postgresql, then run this again."
)


def programs() -> Path | None:
    """The folder of the newest PostgreSQL's programs; None where no server is installed."""
    versions = [folder for folder in DEBIAN.glob("*/bin") if (folder / "initdb").exists()]
    if versions:
        return max(versions, key=lambda folder: float(folder.parent.name))
    found = shutil.which("initdb")
    return Path(found).parent if found else None


class Server:
    """A server in a temporary folder; text is ordered as in English (ICU en-US) where a database doesn't say otherwise."""

    def __init__(self) -> None:
        folder = programs()
        if folder is None:
            raise RuntimeError(LEFT_OUT)
        self._programs = folder
        self.folder = Path(tempfile.mkdtemp(prefix="neardup-postgresql-"))
        self._data = self.folder / "rows"
        self._person = _unprivileged()
        if self._person is not None:
            os.chown(self.folder, self._person.pw_uid, self._person.pw_gid)

    def start(self) -> None:
        """Make the server's folder and start it; it ends with this process."""
        atexit.register(self.stop)
        plain = [
            "--pgdata",
            self._data,
            "--username",
            USER,
            "--auth",
            "trust",
            "--no-sync",
            "--encoding",
            "UTF8",
        ]
        english = ["--locale", "C.UTF-8", "--locale-provider", "icu", "--icu-locale", "en-US"]
        if self._run("initdb", *plain, *english).returncode != 0:
            self._run("initdb", *plain, "--locale", "C", check=True)
        options = f"-k {self.folder} -p {PORT} -c listen_addresses='' {HASTE}"
        log = self.folder / "log"
        self._run("pg_ctl", "--pgdata", self._data, "--log", log, "-o", options, "-w", "start", check=True)

    def stop(self) -> None:
        """End the server at once, and remove what it stored."""
        if self._data.exists():
            self._run("pg_ctl", "--pgdata", self._data, "--mode", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database: str = "postgres") -> str:
        """What ``DATABASE_URL`` says for a database of this server."""
        return f"postgres://{USER}@{quote(str(self.folder), safe='')}:{PORT}/{database}"

    def make_database(self, name: str, *settings: str) -> str:
        """Make an empty database and return its address; ``settings`` go behind ``CREATE DATABASE``."""
        import psycopg

        with psycopg.connect(
            host=str(self.folder), port=PORT, user=USER, dbname="postgres", autocommit=True
        ) as open_:
            open_.execute(f'CREATE DATABASE "{name}" {" ".join(settings)}')
        return self.address(name)

    def _run(
        self, program: str, *arguments: object, check: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        person = self._person
        rights = {} if person is None else {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}
        done = subprocess.run(
            [self._programs / program, *map(str, arguments)],
            check=False, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if program == "initdb" else subprocess.DEVNULL, **rights,
        )  # fmt: skip
        if check and done.returncode != 0:
            raise RuntimeError(
                f"{program} ended with status {done.returncode}: {(done.stderr or b'').decode()}"
            )
        return done


def _unprivileged() -> pwd.struct_passwd | None:
    """Whom the server runs as: root must not run it, anybody else runs it himself."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")
