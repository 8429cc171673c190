"""Which files are read, and how."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django import forms
from django.conf import settings

if TYPE_CHECKING:
    from django.core.files.uploadedfile import UploadedFile
    from django.http import QueryDict
    from django.utils.datastructures import MultiValueDict

FORMATS = [
    ("auto", "Find out from the content"),
    ("jsonl", "JSON Lines"),
    ("csv", "CSV"),
    ("tsv", "TSV"),
    ("parquet", "Parquet"),
    ("xlsx", "Excel (XLSX)"),
    ("html", "HTML pages"),
    ("warc", "Web archive (WARC)"),
    ("text", "Plain text"),
]
FIELDS = {
    "id": "Document id",
    "text": "Text",
    "html": "HTML page",
    "title": "Title",
    "source": "Source",
    "url": "Address (URL)",
    "canonical": "Declared canonical URL",
    "first_seen": "First seen",
    "price": "Price",
    "currency": "Currency",
    "gtin": "GTIN, EAN or UPC",
    "isbn": "ISBN",
    "doi": "DOI",
    "sku": "SKU",
    "mpn": "Maker's part number",
}
EXTRACTORS = [
    ("trafilatura", "trafilatura: thorough"),
    ("resiliparse", "resiliparse: some ten times as fast"),
]
ENCODINGS = [
    "",
    "utf-8",
    "windows-1252",
    "iso-8859-1",
    "iso-8859-15",
    "windows-1251",
    "shift_jis",
    "gb18030",
    "utf-16",
]


class SeveralFilesInput(forms.ClearableFileInput):
    """A file field that takes more than one file."""

    allow_multiple_selected = True


class SeveralFilesField(forms.FileField):
    """One or more uploaded files, together no larger than the limit of the settings."""

    widget = SeveralFilesInput

    def clean(self, data: object, initial: object = None) -> "list[UploadedFile[Any]]":
        """Check each file, then their size together."""
        one = super().clean
        files = data if isinstance(data, list | tuple) else [data] if data else []
        cleaned: list[UploadedFile[Any]] = [one(file, initial) for file in files]
        limit = settings.UPLOAD_LIMIT_MB
        if sum(file.size or 0 for file in cleaned) > limit * 1_000_000:
            raise forms.ValidationError(
                f"Together these files are larger than {limit} MB. Name their folder on the server instead, "
                "or use the ingest command."
            )
        return cleaned


class IngestForm(forms.Form):
    """Where the documents come from: files of the reader's machine, or, for administrators, a path on the server."""

    upload = SeveralFilesField(required=False, label="Files from your computer")
    server_path = forms.CharField(
        required=False,
        label="Or a file or folder on the server",
        max_length=1000,
        help_text="For large collections: nothing is copied, the file is read where it is.",
    )
    format = forms.ChoiceField(choices=FORMATS, required=False, label="Format")

    def __init__(
        self,
        data: "QueryDict | None" = None,
        files: "MultiValueDict[str, UploadedFile[Any]] | None" = None,
        *,
        reads_server: bool,
    ) -> None:
        super().__init__(data, files)
        if not reads_server:
            del self.fields["server_path"]
        self.fields["upload"].help_text = (
            f"One or more, up to {settings.UPLOAD_LIMIT_MB:,} MB together. JSONL, CSV, TSV, Parquet, XLSX, HTML, WARC, "
            "plain text, also compressed."
        )

    def clean_server_path(self) -> str:
        """The path must be there and readable by the server."""
        path = str(self.cleaned_data["server_path"]).strip()
        try:
            is_there = not path or Path(path).exists()
        except OSError as error:
            raise forms.ValidationError(f"{path} can't be read by the server: {error.strerror}.") from error
        if not is_there:
            raise forms.ValidationError(f"There is nothing at {path} on the server.")
        return path

    def clean(self) -> dict[str, Any]:
        """Exactly one of the two sources."""
        cleaned = super().clean() or {}
        if not self.errors and bool(cleaned.get("upload")) == bool(cleaned.get("server_path")):
            raise forms.ValidationError("Choose files, or name a path on the server: one of the two.")
        return cleaned


class MappingForm(forms.Form):
    """How the columns of the input become fields of a document."""

    format = forms.ChoiceField(choices=FORMATS, required=False, label="Format")
    encoding = forms.ChoiceField(
        choices=[(name, name or "Find out from the content") for name in ENCODINGS],
        required=False,
        label="Encoding",
    )
    delimiter = forms.ChoiceField(
        choices=[
            ("", "Find out"),
            (",", "Comma"),
            (";", "Semicolon"),
            ("\t", "Tabulator"),
            ("|", "Vertical bar"),
        ],
        required=False,
        label="Delimiter",
    )
    extractor = forms.ChoiceField(choices=EXTRACTORS, required=False, label="Main text found by")

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        columns: tuple[str, ...] = (),
        initial: dict[str, str] | None = None,
    ) -> None:
        super().__init__(data, initial=initial)
        self.columns = columns
        choices = [("", "–"), *((column, column) for column in columns)]
        for name, label in FIELDS.items():
            self.fields[f"map_{name}"] = forms.ChoiceField(choices=choices, required=False, label=label)

    def mapping(self) -> dict[str, str]:
        """Field to column, for the fields that have one."""
        values = {name: self.cleaned_data.get(f"map_{name}", "") for name in FIELDS}
        return {name: column for name, column in values.items() if column}
