"""What all commands share: one JSON object or a few lines as the answer, one sentence as an error, an exit status."""

import json
import logging
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from dedup.exporting import ExportError
from dedup.ingest import IngestError
from dedup.segments import SegmentError
from dedup.specs import RecipeMismatchError
from labeling.management.preparing import database_name, prepare_database
from labeling.services.backups import BackupError
from labeling.services.corpora import CorpusError
from labeling.services.decisions import DecisionError
from labeling.services.label_files import LabelFileError
from labeling.services.pair_rows import RecipeUnknownError
from labeling.services.studies import StudyError

logger = logging.getLogger(__name__)

DONE, REFUSED, UNUSABLE = 0, 1, 2
SENTENCES = (
    BackupError,
    CorpusError,
    DecisionError,
    ExportError,
    IngestError,
    LabelFileError,
    RecipeMismatchError,
    RecipeUnknownError,
    SegmentError,
    StudyError,
)


class CommandRefusedError(Exception):
    """The command can't do what was asked; carries a sentence and the exit status."""

    def __init__(self, sentence: str, status: int = UNUSABLE) -> None:
        super().__init__(sentence)
        self.status = status


class AnsweringCommand(BaseCommand):
    """A command that answers with JSON or with lines for people, and fails with one sentence."""

    requires_system_checks: list[str] = []  # noqa: RUF012 - declared so by Django
    exit_status = DONE

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:  # noqa: ANN401
        """Leave out Django's options that mean nothing here from the help."""
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument(
            "--json", action="store_true", help="Print one JSON object on standard output, nothing else."
        )
        return parser

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ANN401, ARG002
        """Answer; every error becomes one sentence and an exit status. A reader that has read enough is no error."""
        try:
            prepare_database()
            self.answer(options)
            self.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except CommandError:
            raise
        except CommandRefusedError as error:
            self.fail(str(error), error.status)
        except KeyboardInterrupt:
            self.fail("Stopped.")
        except Exception as error:
            logger.debug("refused", exc_info=True)
            self.fail(sentence_of(error))
        if self.exit_status:
            sys.exit(self.exit_status)

    def answer(self, options: dict[str, Any]) -> None:
        """Do what the command is for."""
        raise NotImplementedError

    def fail(self, sentence: str, status: int = UNUSABLE) -> None:
        """Say why on standard error, and leave with a status."""
        self.stderr.write(sentence if sentence.endswith((".", "!", "?")) else f"{sentence}.")
        sys.exit(status)

    def reply(self, values: Mapping[str, Any], lines: Iterable[str], *, as_json: bool) -> None:
        """Print the answer: the values as JSON, or the lines for people."""
        if as_json:
            self.stdout.write(to_json(values))
            return
        for line in lines:
            self.stdout.write(line)


def sentence_of(error: Exception) -> str:
    """One sentence about an error, for people."""
    if isinstance(error, SENTENCES):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.strerror or error}: {error.filename}" if error.filename else str(error)
    if isinstance(error, DatabaseError):
        return f"The database {database_name()} refused: {error}"
    return f"{type(error).__name__}: {error}. NEARDUP_LOG_LEVEL=DEBUG shows where it happened"


def to_json(values: object) -> str:
    """One line of strict JSON."""
    return json.dumps(values, ensure_ascii=False, allow_nan=False, default=str)
