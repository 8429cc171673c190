import signal
import socket
import webbrowser
from time import monotonic, sleep
from types import FrameType
from typing import Any

from django.core.management.base import CommandParser
from django.urls import reverse
from django.utils import timezone

from labeling.management.answering import AnsweringCommand, CommandRefusedError
from labeling.management.processes import Child, port_number
from labeling.services import people, sampling_corpus

LOOK_SECONDS = 0.3
READY_SECONDS = 30.0


class Command(AnsweringCommand):
    """Start everything."""

    help = "Bring the database up to date, make the first administrator, and run web server and worker until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        """Where to listen, and what to load."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=port_number, default=8000)
        parser.add_argument("--sample", action="store_true", help="Load the sample corpus with its study.")
        parser.add_argument("--no-browser", action="store_true", help="Don't open a browser.")
        parser.add_argument(
            "--link", action="store_true", help="Print a sign-in link for the administrator in any case."
        )

    def answer(self, options: dict[str, Any]) -> None:
        """Prepare, start both children, and watch over them."""
        host, port = options["host"], options["port"]
        signal.signal(signal.SIGTERM, _interrupt)
        _check_port(host, port)
        administrator = people.first_administrator()
        if options["sample"]:
            sampling_corpus.enqueue_sample(by_id=administrator.pk, at=timezone.now())
        address = f"http://{_shown(host)}:{port}"
        children = [Child(["serve", "--host", host, "--port", str(port)]), Child(["worker"])]
        try:
            for child in children:
                child.start()
            _wait_for_server(children[0], host, port)
            self._welcome(address, options)
            self._watch(children)
        except KeyboardInterrupt:
            self.stdout.write("Stopping …")
        finally:
            for child in children:
                child.ask_to_stop()
            for child in children:
                child.wait_or_kill()

    def _welcome(self, address: str, options: dict[str, Any]) -> None:
        self.stdout.write(f"neardup runs at {address} (Ctrl-C stops it).")
        start = address
        if options["link"] or not people.has_anybody_signed_in():
            secret = people.make_sign_in_link(user=people.first_administrator(), at=timezone.now())
            start = address + reverse("labeling:sign_in_link", args=[secret])
            self.stdout.write(f"Sign in once as “{people.FIRST_NAME}”, within 24 hours: {start}")
        self.stdout.flush()
        if not options["no_browser"]:
            webbrowser.open(start)

    def _watch(self, children: list[Child]) -> None:
        while True:
            for child in children:
                if child.ended() is not None:
                    self.stderr.write(
                        f"The {child.arguments[0]} process ended with status {child.ended()}; starting it again."
                    )
                if not child.restart_if_crashed():
                    raise CommandRefusedError(
                        f"The {child.arguments[0]} process ends again and again; see above."
                    )
            sleep(LOOK_SECONDS)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _shown(host: str) -> str:
    """The host as a browser on this machine names it."""
    if host in {"0.0.0.0", "::", ""}:  # noqa: S104 - compared, not listened on
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _check_port(host: str, port: int) -> None:
    """Say in one sentence that the port is taken, before anything is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandRefusedError(
                f"Port {port} of {host} can't be used ({error.strerror}); stop what uses it, or choose another with --port."
            ) from error


def _wait_for_server(child: Child, host: str, port: int) -> None:
    """Wait until the server answers, so that the printed link works when it is printed."""
    until = monotonic() + READY_SECONDS
    target = "127.0.0.1" if host in {"0.0.0.0", ""} else host  # noqa: S104 - compared, not listened on
    while monotonic() < until and child.ended() is None:
        try:
            socket.create_connection((target, port), timeout=1).close()
        except OSError:
            sleep(0.1)
        else:
            return
    raise CommandRefusedError("The web server did not start; what it printed stands above.")
