"""The whole state in one file and back: every row as JSON, every array file, uploads and exports."""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from django.apps import apps
from django.conf import settings
from django.core import serializers
from django.core.management.color import no_style
from django.db import connection, models, transaction

from labeling.models import Corpus, Job

FORMAT = 1
FOLDERS = ("arrays", "uploads", "exports")
BATCH = 500
SKIPPED = {"contenttypes.contenttype", "auth.permission", "sessions.session", "labeling.worker"}


class BackupError(ValueError):
    """A backup can't be written or read; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a backup holds."""

    file: str
    rows: int
    files: int


def stored_models() -> list[type[models.Model]]:
    """Every model whose rows are state, those first that others point to."""
    ordered = serializers.sort_dependencies([(config, None) for config in apps.get_app_configs()])
    return [model for model in ordered if model._meta.label_lower not in SKIPPED]  # noqa: SLF001


def write_backup(path: Path) -> Counted:
    """Write everything into one ZIP file, whole or not at all. Raises ``BackupError`` while a job runs."""
    if Job.objects.filter(state=Job.State.RUNNING).exists():
        raise BackupError("A job is running; wait for it or stop it, then back up.")
    if path.is_dir():
        raise BackupError(f"{path} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise BackupError(f"There is no folder {path.parent} to write to.")
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        counted = _write(unfinished, path)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return counted


def _write(unfinished: Path, path: Path) -> Counted:
    with (
        zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        transaction.atomic(),
    ):
        _hold_still()
        rows = sum(_write_model(archive, model) for model in stored_models())
        files = 0
        for folder in FOLDERS:
            for file in sorted((Path(settings.DATA_DIR) / folder).rglob("*")):
                if file.is_file():
                    archive.write(
                        file, f"{folder}/{file.relative_to(Path(settings.DATA_DIR) / folder).as_posix()}"
                    )
                    files += 1
        secret = Path(settings.DATA_DIR) / "secret_key"
        if secret.is_file():
            archive.write(secret, "secret_key")
        manifest = {"format": FORMAT, "rows": rows, "files": files}
        archive.writestr("manifest.json", json.dumps(manifest))
    return Counted(file=str(path), rows=rows, files=files)


def _hold_still() -> None:
    """See the rows of one moment, whatever is labelled meanwhile; SQLite's transactions do so by themselves.

    Only the outermost transaction may say so.
    """
    if connection.vendor == "postgresql" and not connection.savepoint_ids:
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


def _write_model(archive: zipfile.ZipFile, model: type[models.Model]) -> int:
    rows = model._default_manager.order_by("pk").iterator(chunk_size=BATCH)  # noqa: SLF001
    count = 0
    with archive.open(f"rows/{model._meta.label_lower}.jsonl", "w", force_zip64=True) as file:  # noqa: SLF001
        for row in rows:
            line = serializers.serialize("jsonl", [row])
            file.write(line.encode().rstrip(b"\n") + b"\n")
            count += 1
    return count


def read_backup(path: Path) -> Counted:
    """Bring back what a backup holds, into a data folder that holds nothing yet.

    Raises ``BackupError`` where the folder holds something, or the file is no whole backup; then nothing is changed.
    """
    if Corpus.objects.exists():
        raise BackupError(f"{settings.DATA_DIR} holds corpora; restore into an empty data folder.")
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = json.loads(archive.read("manifest.json"))
            if manifest.get("format") != FORMAT:
                raise BackupError(f"{path} was written by another version of neardup.")
            damaged = archive.testzip()
            if damaged is not None:
                raise BackupError(f"{path} is damaged: {damaged} can't be read.")
            return _read(archive, path)
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        if isinstance(error, BackupError):
            raise
        raise BackupError(f"{path} is no backup of neardup: {error}.") from error


def _read(archive: zipfile.ZipFile, path: Path) -> Counted:
    names = [name for name in archive.namelist() if name.split("/")[0] in FOLDERS]
    unsafe = [name for name in names if ".." in PurePosixPath(name).parts or name.startswith("/")]
    if unsafe:
        raise BackupError(f"{path} holds a file with an unsafe name: {unsafe[0]}.")
    with transaction.atomic():
        rows = sum(_read_model(archive, model) for model in stored_models())
        _reset_sequences()
        for name in names:
            target = Path(settings.DATA_DIR) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
    if "secret_key" in archive.namelist():
        secret = Path(settings.DATA_DIR) / "secret_key"
        secret.write_bytes(archive.read("secret_key"))
        secret.chmod(0o600)
    return Counted(file=str(path), rows=rows, files=len(names))


def _read_model(archive: zipfile.ZipFile, model: type[models.Model]) -> int:
    name = f"rows/{model._meta.label_lower}.jsonl"  # noqa: SLF001
    if name not in archive.namelist():
        return 0
    count = 0
    with archive.open(name) as file:
        lines = (line.decode() for line in file)
        while batch := list(islice(_objects(lines), BATCH)):
            model._default_manager.filter(pk__in=[row.pk for row in batch]).delete()  # noqa: SLF001
            model._default_manager.bulk_create(batch, batch_size=50)  # noqa: SLF001
            count += len(batch)
    return count


def _objects(lines: Iterator[str]) -> Iterator[models.Model]:
    for entry in serializers.deserialize("jsonl", lines):
        yield entry.object


def _reset_sequences() -> None:
    """Let ids go on behind those that came back (PostgreSQL keeps its counters apart from the rows)."""
    statements = connection.ops.sequence_reset_sql(no_style(), stored_models())
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
