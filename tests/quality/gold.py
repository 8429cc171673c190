"""Run the whole way by command in a fresh data folder, with the queue answered from a gold file."""

import csv
import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def manage(data_folder, *arguments, check=True):
    """Run ``manage.py`` in its own process; returns what it printed."""
    environment = {**os.environ, "NEARDUP_DATA_DIR": str(data_folder)}
    command = [sys.executable, str(ROOT / "manage.py"), *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert not check or done.returncode in {0, 1}, done.stderr[-3000:]
    return done.stdout


def manage_json(data_folder, *arguments):
    """Run a command with ``--json``; its output is one JSON object and nothing else."""
    return json.loads(manage(data_folder, *arguments, "--json"))


def manage_lines(data_folder, *arguments):
    """Run a command that prints one JSON object a line."""
    return [json.loads(line) for line in manage(data_folder, *arguments).splitlines()]


def unpack(name, folder):
    """Write a set's documents as JSONL into ``folder``; returns the file and the true cluster of each id."""
    source = ROOT / "tests" / "data" / name
    documents = folder / "documents.jsonl"
    documents.write_bytes(gzip.decompress((source / "docs.jsonl.gz").read_bytes()))
    with (source / "clusters.csv").open(encoding="utf-8", newline="") as file:
        clusters = {row["id"]: row["cluster"] for row in csv.DictReader(file)}
    return documents, clusters


def verdict_of(left_id, right_id, clusters):
    """What a reader who knows the truth answers."""
    return "duplicate" if clusters[left_id] == clusters[right_id] else "distinct"


def answer_queue(data_folder, study, clusters, file):
    """Answer every pair of the queue from the gold, by way of an import; returns the number of answers."""
    queue = manage_lines(data_folder, "queue", study)
    with file.open("w", encoding="utf-8", newline="") as target:
        writer = csv.writer(target)
        writer.writerow(["left_id", "right_id", "verdict"])
        for pair in queue:
            writer.writerow(
                [pair["left_id"], pair["right_id"], verdict_of(pair["left_id"], pair["right_id"], clusters)]
            )
    return len(queue)


def pool_truth(pairs, clusters):
    """For every pair of the pool: its scores, and whether it is a true duplicate."""
    return [
        (pair["scores"], verdict_of(pair["left_id"], pair["right_id"], clusters) == "duplicate")
        for pair in pairs
    ]


def true_figures(truth, recipe, score, threshold):
    """Precision, recall within the pool, and F1, counted one by one; None where there is nothing to count."""
    accepted = [duplicate for scores, duplicate in truth if scores[recipe][score] >= threshold - 1e-12]
    duplicates = sum(duplicate for _, duplicate in truth)
    right = sum(accepted)
    precision = right / len(accepted) if accepted else None
    recall = right / duplicates if duplicates else None
    f1 = 2 * right / (len(accepted) + duplicates) if duplicates + len(accepted) else None
    return {"precision": precision, "recall": recall, "f1": f1}


def document_f1(cluster_of, clusters):
    """F1 over pairs of documents, exact duplicates included, of a partition ``{document id: cluster}``."""
    together = Counter(cluster_of.values())
    true_together = Counter(clusters[document] for document in cluster_of)
    both = Counter((cluster, clusters[document]) for document, cluster in cluster_of.items())
    found, true, right = (
        sum(n * (n - 1) // 2 for n in counts.values()) for counts in (together, true_together, both)
    )
    return 2 * right / (found + true)


def best_document_f1(documents, pairs, figures, clusters):
    """Highest F1 over pairs of documents that any of the settings reaches, by trying them all against the gold."""
    text_of = {document["id"]: document["exact_key"] or document["id"] for document in documents}
    best = 0.0
    for recipe, score, threshold in {(row["recipe"], row["score"], row["threshold"]) for row in figures}:
        parent = {text: text for text in text_of.values()}
        for pair in pairs:
            if pair["scores"][recipe][score] >= threshold - 1e-12:
                one, other = root(parent, text_of[pair["left_id"]]), root(parent, text_of[pair["right_id"]])
                parent[one] = other
        best = max(best, document_f1({key: root(parent, text) for key, text in text_of.items()}, clusters))
    return best


def root(parent, node):
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node
