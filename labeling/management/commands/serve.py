import logging
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser
from django.core.wsgi import get_wsgi_application

from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.management.processes import end_with_parent, port_number

THREADS = 8


class Command(AnsweringCommand):
    """Serve the pages alone."""

    help = "Serve the pages without a worker; up starts both."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=port_number, default=8000)

    def answer(self, options: dict[str, Any]) -> None:
        """Listen until stopped."""
        import waitress

        end_with_parent()
        logging.getLogger("waitress").setLevel(logging.ERROR)
        try:
            server = waitress.create_server(
                get_wsgi_application(),
                host=options["host"],
                port=options["port"],
                threads=THREADS,
                ident="neardup",
                max_request_body_size=settings.UPLOAD_LIMIT_MB * 1_100_000,
            )
        except OSError as error:
            raise CommandRefusedError(
                f"Port {options['port']} of {options['host']} can't be used: {error.strerror}."
            ) from error
        server.run()
