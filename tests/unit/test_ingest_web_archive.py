import gzip
import tarfile
import zlib
from pathlib import Path

import pytest

from dedup.ingest import IngestError, ReadOptions, open_corpus
from dedup.ingest.web_archive import decode_body, read_response, unchunk
from tests.ingested import ingested, written

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "warc_open" / "files.tar.gz"
SENTENCE = "The harbour ferry will run every twenty minutes from the first of May after the operator bought two boats. "
ARTICLE = f"<html><body><article><h1>Ferry</h1><p>{SENTENCE * 3}</p></article></body></html>".encode()


def record(kind, body, number=1, url="http://a.example.org/1", length=None, **headers):
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Target-URI: {url}",
        "WARC-Date: 2024-04-02T10:00:00Z",
        f"WARC-Record-ID: <urn:uuid:{number:032x}>",
        "Content-Type: application/http; msgtype=response",
        *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items()),
        f"Content-Length: {len(body) if length is None else length}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body + b"\r\n\r\n"


def response(body=ARTICLE, status="200 OK", content_type="text/html; charset=utf-8", **headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def test_plain_single_stream_and_one_member_a_record_give_the_same(tmp_path):
    records = [record("response", response(), number) for number in range(3)]
    plain = written(tmp_path, "a.warc", b"".join(records))
    single = written(tmp_path, "b.warc.gz", gzip.compress(b"".join(records)))
    members = written(tmp_path, "c.warc.gz", b"".join(map(gzip.compress, records)))

    texts = [ingested(path).texts for path in (plain, single, members)]

    assert texts[0] == texts[1] == texts[2]
    assert len(texts[0]) == 3


def test_a_page_has_the_address_and_date_of_its_record(tmp_path):
    path = written(tmp_path, "a.warc", record("response", response(), url="<http://a.example.org/a b>"))

    page = ingested(path).pages[0]

    assert (page.id, page.url) == (f"urn:uuid:{1:032x}", "http://a.example.org/a%20b")
    assert (page.first_seen.isoformat(), page.source) == ("2024-04-02T10:00:00+00:00", "a.example.org")


def test_what_is_no_page_is_counted_in_one_remark(tmp_path):
    data = (
        record("response", response(content_type="image/png"))
        + record("response", response(status="404 Not Found"))
        + record("metadata", b"fetchTimeMs: 1")
        + record("response", response(), 2)
    )

    found = ingested(written(tmp_path, "a.warc", data))

    assert len(found.pages) == 1
    assert "passed over: 1 of type image/png, 1 with status 404" in found.reasons


def test_plain_text_is_text_and_charsets_are_those_of_the_header(tmp_path):
    data = record(
        "response", response("Größe <b>".encode("latin-1"), content_type="text/plain; charset=iso-8859-1")
    )

    assert ingested(written(tmp_path, "a.warc", data)).pages[0].text == "Größe <b>"


@pytest.mark.parametrize("cut", [10, 40, 300, 500])
def test_a_plain_archive_that_ends_early_does_not_store_the_last_record(tmp_path, cut):
    data = record("response", response(), 1) + record("response", response(), 2)

    found = ingested(written(tmp_path, "a.warc", data[:-cut]))

    assert len(found.pages) == 1
    assert "incomplete" in found.rejections[0].reason


def test_bytes_between_records_are_reported(tmp_path):
    data = record("response", response(), 1) + b"rubbish\r\n" * 30 + record("response", response(), 2)

    found = ingested(written(tmp_path, "a.warc", data))

    assert len(found.pages) == 2
    assert "belong to no record" in found.reasons


def test_a_response_that_the_crawler_cut_off_is_kept_with_a_remark(tmp_path):
    path = written(tmp_path, "a.warc", record("response", response(), WARC_Truncated="length"))

    found = ingested(path)

    assert len(found.pages) == 1
    assert "cut this response off (length)" in found.reasons


def test_an_archive_without_pages_says_so(tmp_path):
    assert (
        "no page among 1 records"
        in ingested(written(tmp_path, "a.warc", record("metadata", b"a: b"))).reasons
    )


def test_the_forerunner_of_warc_is_refused_by_name(tmp_path):
    with pytest.raises(IngestError, match="ARC file, the forerunner of WARC"):
        open_corpus(
            written(tmp_path, "a.arc", b"filedesc://a.arc 0.0.0.0 2014 text/plain 1\n"), ReadOptions()
        )


BROTLI = bytes.fromhex("0b058048656c6c6f20776f726c6403")


@pytest.mark.parametrize(
    ("transfer", "content", "body"),
    [
        ("chunked", "", b"5\r\nHello\r\n6;x=1\r\n world\r\n0\r\n\r\n"),
        ("chunked", "", b"5\nHello\n6\n world\n0\n\n"),
        ("chunked", "", b"Hello world"),
        ("", "gzip", gzip.compress(b"Hello world")),
        ("", "x-gzip", b"Hello world"),
        ("", "deflate", zlib.compress(b"Hello world")),
        ("", "deflate", zlib.compress(b"Hello world")[2:-4]),
        ("", "br", BROTLI),
        ("", "br", b"Hello world"),
        ("chunked", "gzip", gzip.compress(b"Hello world")),
        ("", "gzip, identity", gzip.compress(b"Hello world")),
        ("", "rot13", b"Hello world"),
    ],
)
def test_a_body_is_decoded_as_it_is_not_as_it_says(transfer, content, body):
    assert decode_body(body, transfer, content) == b"Hello world"


@pytest.mark.parametrize("body", [b"", b"5\r\nHel", b"zz\r\nHello", b"5\r\nHello\r\nrest without a chunk"])
def test_what_is_not_chunked_to_its_end_stays_as_it_is(body):
    assert unchunk(body) == body


@pytest.mark.parametrize(
    "message", [b"", b"HTTP/1.1", b"\xff\xfe", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200\r\n: \xff\r\n\r\nx"]
)
def test_a_message_that_is_no_response_is_no_page(message):
    assert isinstance(read_response(message), str)


def test_archives_of_other_programs_are_read_or_refused_with_a_sentence(tmp_path):
    if not SHARED.exists():
        pytest.skip(
            "the archives that others wrote may not be copied here, and the folder beside the project hasn't got them"
        )
    pages = {}
    with tarfile.open(SHARED) as archive:
        for member in archive:
            path = written(tmp_path, member.name, archive.extractfile(member).read())
            try:
                pages[member.name] = len(ingested(path).pages)
            except IngestError as error:
                pages[member.name] = str(error)

    assert pages["warcio/example.warc"] == pages["warcio/example.warc.gz"] == 1
    assert pages["whirlwind/whirlwind.warc.gz"] == pages["warcio/example-bad-non-chunked.warc.gz"] == 1
    assert pages["warcio/example-wrong-chunks.warc.gz"] == pages["warcio/example-iana.org-chunked.warc"] == 1
    assert "ARC file" in pages["warcio/example.arc.gz"]
