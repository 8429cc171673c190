"""One order of text on every database: by code points, as SQLite and Python have it."""

from django.db import connections

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
