import hashlib
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from dedup.candidates import HUB_NEIGHBOURS
from dedup.engines import collecting, signing, verifying
from dedup.engines.floor import floor_level
from dedup.engines.local import LocalEngine, read_manifest, read_pool
from dedup.engines.pool import study_bandings
from dedup.pairs import ScoreKey
from dedup.segments import UNFINISHED_SUFFIX, SegmentError, open_array, write_array
from dedup.shingling import jaccard, shingles
from dedup.specs import RecipeMismatchError, StudySpec, digest_of
from dedup.text import normalise
from tests.reference import engine as reference
from tests.reference.corpora import ListedTexts, corpus, edited

SPEC = StudySpec(ks=(1, 3), num_perm=64, simhash="plain", simhash_distance=6)
TEXTS = [*corpus(150), "", "...", "one", "one", "one two"]


ROOT = Path(__file__).resolve().parents[2]
DIES_AT_A_WRITE = """
import os, signal, stat, sys
from pathlib import Path
from dedup import segments
from tests.unit import test_local_engine

left, sync = [int(sys.argv[1])], os.fsync

def fsync(descriptor):
    left[0] -= stat.S_ISREG(os.fstat(descriptor).st_mode)
    if left[0] == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    sync(descriptor)

segments.os.fsync = fsync
test_local_engine.collect(Path(sys.argv[2]), test_local_engine.TEXTS)
"""


WITHOUT_A_COMPILER = """
import sys
sys.modules["numba"] = None
from pathlib import Path
from dedup.band_kernel import IS_COMPILED
from tests.unit import test_local_engine

assert not IS_COMPILED
test_local_engine.collect(Path(sys.argv[1]), test_local_engine.TEXTS)
"""


class CancelledError(Exception):
    pass


def ignore(_progress):
    pass


def collect(folder, texts, *, workers=2, segment_rows=60, spec=SPEC, report=ignore):
    source = texts if isinstance(texts, ListedTexts) else ListedTexts(texts)
    engine = LocalEngine(workers, segment_rows=segment_rows)
    return engine.collect(source, spec, arrays=folder / "arrays", pool_folder=folder / "pool", report=report)


def contents(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The corpus, collected once in one go."""
    folder = tmp_path_factory.mktemp("finished")
    return folder, collect(folder, TEXTS, workers=1)


def signatures_of(folder, files, spec):
    return [
        np.concatenate([
            open_array(folder / "arrays" / file.path)
            for file in sorted(files.segments, key=lambda file: int(file.path.split("/")[1].split("-")[0]))
            if file.recipe == minhash_spec.recipe
        ])
        for minhash_spec in spec.minhash_specs
    ]  # fmt: skip


def test_the_pool_is_what_dictionaries_of_bands_and_fingerprints_find(finished):
    folder, files = finished
    streams = [normalise(text) for text in TEXTS]
    banding = next(iter(files.bandings.values()))
    pool = read_pool(folder / "pool", SPEC, verify=True)
    found = set(zip(pool.left.tolist(), pool.right.tolist(), strict=True))

    expected = reference.pool(
        streams,
        [rows.tolist() for rows in signatures_of(folder, files, SPEC)],
        banding.bands,
        banding.rows_per_band,
        SPEC.hub_limit,
        HUB_NEIGHBOURS,
    )

    beyond = found - set(expected)
    place = {pair: row for row, pair in enumerate(zip(pool.left.tolist(), pool.right.tolist(), strict=True))}
    assert set(expected) <= found
    assert all(pool.hamming[place[pair]] <= SPEC.simhash_distance for pair in beyond)
    assert len(expected) > 50


def test_every_pair_has_its_exact_and_estimated_score_under_every_recipe(finished):
    folder, files = finished
    pool = read_pool(folder / "pool")
    signatures = signatures_of(folder, files, SPEC)

    for spec, rows in zip(SPEC.minhash_specs, signatures, strict=True):
        digest = digest_of(spec.recipe)
        shingle_sets = [shingles(normalise(text).split(), spec.k) for text in TEXTS]
        exact = [
            jaccard(shingle_sets[a], shingle_sets[b]) for a, b in zip(pool.left, pool.right, strict=True)
        ]
        agreeing = (rows[pool.left] == rows[pool.right]).sum(axis=1)

        assert pool.jaccard[digest].tolist() == exact
        assert pool.levels[ScoreKey(digest, "exact")].tolist() == [int(1000 * s + 1e-9) for s in exact]
        assert pool.levels[ScoreKey(digest, "estimate")].tolist() == agreeing.tolist()


def test_pairs_are_sorted_unique_and_never_of_identical_or_wordless_texts(finished):
    folder, _ = finished
    pool = read_pool(folder / "pool")
    pairs = list(zip(pool.left.tolist(), pool.right.tolist(), strict=True))
    streams = [normalise(text) for text in TEXTS]

    assert pairs == sorted(set(pairs))
    assert all(left < right for left, right in pairs)
    assert all(streams[left] and streams[right] and streams[left] != streams[right] for left, right in pairs)


def test_identical_texts_share_their_near_duplicates(tmp_path):
    text = corpus(1)[0]
    near = edited(np.random.default_rng(1), text, 2)

    collect(tmp_path, [text, near, text, text])
    pool = read_pool(tmp_path / "pool")

    assert list(zip(pool.left.tolist(), pool.right.tolist(), strict=True)) == [(0, 1), (1, 2), (1, 3)]


@pytest.mark.parametrize("workers", [2, 5])
def test_the_number_of_workers_changes_no_byte(tmp_path, finished, workers):
    collect(tmp_path, TEXTS, workers=workers)

    assert contents(tmp_path) == contents(finished[0])


def test_long_texts_are_taken_a_few_at_a_time_and_that_changes_no_byte(tmp_path, finished, monkeypatch):
    monkeypatch.setattr(signing, "FIRST_CHUNK_TEXTS", 3)
    monkeypatch.setattr(signing, "CHUNK_BYTES", 1_000)
    monkeypatch.setattr(verifying, "BATCH_BYTES", 1_000)
    source = ListedTexts(TEXTS)

    collect(tmp_path, source)

    assert max(stop - start for start, stop in source.read) < 20
    assert contents(tmp_path) == contents(finished[0])


def test_the_size_of_segments_changes_no_byte_of_the_pool(tmp_path, finished):
    collect(tmp_path, TEXTS, segment_rows=1_000)

    assert contents(tmp_path / "pool") == contents(finished[0] / "pool")


def test_a_second_run_reads_no_text_and_changes_no_byte(tmp_path, finished):
    collect(tmp_path, TEXTS)
    source = ListedTexts(TEXTS)

    collect(tmp_path, source)

    assert source.read == []
    assert contents(tmp_path) == contents(finished[0])


@pytest.mark.parametrize("kept", [0, 30, 60, 100, 150])
def test_added_texts_cost_only_the_new_ones_and_end_in_the_same_bytes(tmp_path, finished, kept):
    collect(tmp_path, TEXTS[:kept])
    source = ListedTexts(TEXTS)

    collect(tmp_path, source)

    assert min(start for start, _ in source.read) == kept
    assert contents(tmp_path) == contents(finished[0])


def test_a_further_recipe_signs_from_the_stored_streams(tmp_path):
    collect(tmp_path, TEXTS[:100], spec=StudySpec(ks=(3,), num_perm=64))
    source = ListedTexts(TEXTS)

    collect(tmp_path, source, spec=StudySpec(ks=(3, 5), num_perm=64))

    assert source.read == [(100, 120), (120, len(TEXTS))]
    assert len(read_manifest(tmp_path / "pool")["recipes"]) == 2


@pytest.mark.parametrize("stop_after", [1, 3, 5, 7, 9, 11])
def test_a_run_that_was_stopped_anywhere_is_finished_by_the_next_to_the_same_bytes(
    tmp_path, finished, stop_after
):
    told = []

    def stop(progress):
        told.append(progress)
        if len(told) == stop_after:
            raise CancelledError

    with pytest.raises(CancelledError):
        collect(tmp_path, TEXTS, report=stop)
    collect(tmp_path, TEXTS)

    assert contents(tmp_path) == contents(finished[0])


def test_where_the_compiler_is_missing_the_same_bytes_come_out(tmp_path, finished):
    command = [sys.executable, "-c", WITHOUT_A_COMPILER, str(tmp_path)]

    subprocess.run(command, cwd=ROOT, check=True)

    assert contents(tmp_path) == contents(finished[0])


@pytest.mark.parametrize("writes", [2, 10])
def test_a_run_killed_in_the_middle_of_a_file_is_finished_by_the_next_to_the_same_bytes(
    tmp_path, finished, writes
):
    killed = subprocess.run(
        [sys.executable, "-c", DIES_AT_A_WRITE, str(writes), str(tmp_path)], cwd=ROOT, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert list(tmp_path.rglob(f".*{UNFINISHED_SUFFIX}")) != []

    collect(tmp_path, TEXTS)

    assert contents(tmp_path) == contents(finished[0])


def test_damaged_and_missing_segments_are_made_again_to_the_same_bytes(tmp_path, finished):
    files = collect(tmp_path, TEXTS)
    for place, file in enumerate(files.segments):
        path = tmp_path / "arrays" / file.path
        if place % 3 == 0:
            path.unlink()
        elif place % 3 == 1:
            path.write_bytes(path.read_bytes()[:-1] + b"?")

    collect(tmp_path, TEXTS)

    assert contents(tmp_path) == contents(finished[0])


def test_the_source_is_read_only_in_the_calling_thread(tmp_path):
    source = ListedTexts(TEXTS)

    collect(tmp_path, source, workers=3)

    assert source.threads == {threading.get_ident()}


def test_progress_counts_every_text_band_and_pair_in_the_calling_thread(tmp_path):
    told, threads = [], set()

    def listen(progress):
        told.append(progress)
        threads.add(threading.get_ident())

    files = collect(tmp_path, TEXTS, report=listen)

    last = {progress.stage: (progress.done, progress.total, progress.unit) for progress in told}
    bands = sum(banding.bands for banding in files.bandings.values())
    assert last["sign"] == (len(TEXTS), len(TEXTS), "texts")
    assert last["collect"] == (bands, bands, "bands")
    assert last["verify"] == (files.pool_size, files.pool_size, "pairs")
    assert list(files.seconds) == ["wait", "sign", "collect", "verify", "write"]
    assert threads == {threading.get_ident()}


@pytest.mark.parametrize("texts", [[], [""], ["", "..."], ["one"], ["one two three four"]])
def test_a_corpus_without_pairs_has_an_empty_pool(tmp_path, texts):
    files = collect(tmp_path, texts)

    assert files.pool_size == 0
    assert len(read_pool(tmp_path / "pool", SPEC, verify=True)) == 0


def test_a_source_that_gives_too_few_texts_is_refused(tmp_path):
    source = ListedTexts(TEXTS)
    source.batch = lambda start, stop: TEXTS[start : stop - 1]

    with pytest.raises(ValueError, match="asked for the texts 0 to 59, the source gave 59"):
        collect(tmp_path, source)


def test_files_are_listed_with_their_rows_hashes_and_recipes(finished):
    folder, files = finished

    listed = {file.path: file.sha256 for file in files.files} | {
        file.path: file.sha256 for file in files.segments
    }

    on_disk = contents(folder / "pool") | {
        path: sha256 for path, sha256 in contents(folder / "arrays").items() if path.endswith(".npy")
    }
    assert listed == on_disk
    assert {file.rows for file in files.files} == {files.pool_size}


def test_boilerplate_that_many_texts_share_is_bounded_and_reported(tmp_path):
    rng = np.random.default_rng(2)
    footer = corpus(1, words=120)[0]
    texts = [f"{text} {footer}" for text in corpus(120, seed=3, words=4, share_of_copies=0.0)]
    spec = StudySpec(ks=(3,), num_perm=64, hub_limit=20)
    near = [*texts, edited(rng, texts[0], 1)]

    files = collect(tmp_path, near, spec=spec)
    pool = read_pool(tmp_path / "pool")

    assert files.hub_buckets > 0
    assert files.hubs[0].size > 20
    assert files.hubs[0].recipe == spec.minhash_specs[0].recipe
    assert len(pool) < 120 * 119 / 2
    assert read_manifest(tmp_path / "pool")["hub_buckets"] == files.hub_buckets


def test_many_identical_texts_make_no_blow_up_and_are_reported(tmp_path):
    text = corpus(1)[0]
    near = edited(np.random.default_rng(1), text, 1)

    files = collect(tmp_path, [near, *[text] * 500], spec=StudySpec(ks=(3,), num_perm=64, hub_limit=50))

    assert files.pool_size == 50
    assert [(hub.band, hub.size, hub.example_ordinals) for hub in files.hubs] == [(-1, 500, (1, 2, 3, 4, 5))]


def test_many_equal_fingerprints_make_a_chain_and_are_reported(tmp_path):
    texts = ["one two three " * (count + 2) for count in range(60)]
    spec = StudySpec(ks=(3,), num_perm=64, simhash="plain", simhash_k=1, hub_limit=20)

    files = collect(tmp_path, texts, spec=spec)

    assert files.pool_size == HUB_NEIGHBOURS * 60 - (4 + 3 + 2 + 1)
    assert (spec.simhash_spec.recipe, -1, 60) in [(hub.recipe, hub.band, hub.size) for hub in files.hubs]


def test_too_many_collisions_leave_out_pairs_clearly_under_the_threshold_and_say_so(
    tmp_path, finished, monkeypatch
):
    spec = StudySpec(ks=(1, 3), num_perm=64)
    whole = collect(tmp_path / "whole", TEXTS, spec=spec)
    monkeypatch.setattr(collecting, "COLLISIONS_KEPT_WHOLE", 10)

    files = collect(tmp_path / "floor", TEXTS, spec=spec)

    everything, kept = read_pool(tmp_path / "whole" / "pool"), read_pool(tmp_path / "floor" / "pool")
    best = np.max(
        [everything.levels[ScoreKey(digest, "estimate")] for digest in study_bandings(spec)], axis=0
    )
    stays = best >= floor_level(0.3, 64)
    assert whole.floor_level is None
    assert files.floor_level == floor_level(0.3, 64)
    assert files.left_out >= np.count_nonzero(~stays) > 0
    assert kept.left.tolist() == everything.left[stays].tolist()
    assert kept.right.tolist() == everything.right[stays].tolist()


@pytest.mark.parametrize(
    "other",
    [
        StudySpec(ks=(1,), num_perm=64, simhash="plain", simhash_distance=6),
        StudySpec(ks=(1, 3), num_perm=64, simhash="tf", simhash_distance=6),
        StudySpec(ks=(1, 3), num_perm=64, simhash="plain", simhash_distance=3),
        StudySpec(ks=(1, 3), num_perm=64, simhash="plain", simhash_distance=6, collection_threshold=0.5),
        StudySpec(ks=(1, 3), num_perm=64, simhash="plain", simhash_distance=6, normaliser="lesson"),
    ],
)
def test_a_pool_of_other_recipes_is_refused(finished, other):
    with pytest.raises(RecipeMismatchError, match="was made with"):
        read_pool(finished[0] / "pool", other)


def test_a_pool_without_a_manifest_is_no_pool(tmp_path):
    collect(tmp_path, TEXTS[:20])
    (tmp_path / "pool" / "manifest.json").unlink()

    with pytest.raises(SegmentError, match="no finished pool"):
        read_pool(tmp_path / "pool")


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 99}'])
def test_a_damaged_manifest_is_no_pool(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content, encoding="utf-8")

    with pytest.raises(SegmentError, match=r"manifest\.json"):
        read_pool(tmp_path)


def test_a_damaged_pool_file_is_found_when_asked_for(tmp_path):
    collect(tmp_path, TEXTS)
    path = tmp_path / "pool" / "left.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"?")

    with pytest.raises(SegmentError, match="is damaged"):
        read_pool(tmp_path / "pool", verify=True)


def test_a_pool_file_of_another_length_is_refused(tmp_path):
    collect(tmp_path, TEXTS)
    write_array(tmp_path / "pool" / "left.npy", np.arange(3))

    with pytest.raises(SegmentError, match="holds"):
        read_pool(tmp_path / "pool")


def test_an_engine_without_workers_is_refused():
    with pytest.raises(ValueError, match="one worker or more, not 0"):
        LocalEngine(0)
