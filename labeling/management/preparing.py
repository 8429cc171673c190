"""Make the data folder and the database ready, whatever state they are in, or say in a sentence why that can't be."""

import sys

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor


def prepare_database() -> None:
    """Make the data folder, and bring the database up to date. Raises ``CommandError`` with a sentence."""
    try:
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
        _migrate()
    except (OSError, DatabaseError) as error:
        raise CommandError(
            f"The database {database_name()} can't be used: {str(error).strip().splitlines()[0]}.",
            returncode=2,
        ) from error


def database_name() -> str:
    """How people know the database: its folder, or its name on a PostgreSQL server."""
    if connection.vendor == "sqlite":
        return f"in {settings.DATA_DIR}"
    return f"“{connection.settings_dict['NAME']}” on {connection.settings_dict['HOST'] or 'this machine'}"


def _migrate() -> None:
    executor = MigrationExecutor(connection)
    known = set(executor.loader.disk_migrations)
    unknown = [key for key in executor.loader.applied_migrations if key[0] == "labeling" and key not in known]
    if unknown:
        raise CommandError(
            f"The database {database_name()} was made by a newer neardup ({unknown[0][1]}); use that version.",
            returncode=2,
        )
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False, stdout=sys.stderr)
