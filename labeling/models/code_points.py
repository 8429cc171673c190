"""Text on every database alike: ordered by code points, and searched so that only A to Z match a to z."""

from typing import Any

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import CharField, TextField
from django.db.models.lookups import IContains
from django.db.models.sql.compiler import SQLCompiler

_COLUMNS_OF_OTHER_ORDER = """
    SELECT class.relname, attribute.attname, format_type(attribute.atttypid, attribute.atttypmod)
    FROM pg_attribute AS attribute
    JOIN pg_class AS class ON class.oid = attribute.attrelid
    WHERE class.relname = ANY(%s) AND class.relnamespace = current_schema()::regnamespace
      AND attribute.attnum > 0 AND NOT attribute.attisdropped
      AND attribute.attcollation NOT IN (0, 'pg_catalog."C"'::regcollation)
    ORDER BY class.relname, attribute.attnum
"""


def order_by_code_points(*, using: str, **_: object) -> None:
    """Give every column of text on PostgreSQL the order of code points, whatever the database was made with.

    Lists, exports, smallest ids and searches then come out alike on each machine, and a unique index serves as the
    order too. Runs after every ``migrate``, so that columns of later versions are covered.
    """
    connection = connections[using]
    if connection.vendor != "postgresql":
        return
    quote = connection.ops.quote_name
    changes: dict[str, list[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            _COLUMNS_OF_OTHER_ORDER, [connection.introspection.django_table_names(only_existing=True)]
        )
        for table, column, type_ in cursor.fetchall():
            changes.setdefault(table, []).append(f'ALTER COLUMN {quote(column)} TYPE {type_} COLLATE "C"')
        for table, columns in changes.items():
            cursor.execute(f"ALTER TABLE {quote(table)} {', '.join(columns)}")


@CharField.register_lookup
@TextField.register_lookup
class Mentions(IContains):
    """``column__mentions="word"``: the column holds the word; the case of the letters a to z doesn't matter."""

    lookup_name = "mentions"

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        """SQLite's LIKE does just this."""
        left, right, values = self._sides(compiler, connection)
        return f"{left} LIKE {right} ESCAPE '\\'", values

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, list[Any]]:
        """PostgreSQL would fold the letters of the language that the database was made for."""
        left, right, values = self._sides(compiler, connection)
        return f'{left} ILIKE {right} COLLATE "C"', values

    def _sides(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, str, list[Any]]:
        left, left_values = self.process_lhs(compiler, connection)
        right, right_values = self.process_rhs(compiler, connection)
        return left, str(right), [*left_values, *right_values]
