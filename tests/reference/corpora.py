"""Small seeded corpora for tests of the engine, and the source that hands them out."""

import threading

import numpy as np

VOCABULARY = [f"word{number}" for number in range(2_000)]


def words_of(rng, count):
    return [VOCABULARY[place] for place in rng.integers(0, len(VOCABULARY), count)]


def edited(rng, text, edits):
    words = text.split(" ")
    for place in rng.integers(0, len(words), edits):
        words[place] = VOCABULARY[rng.integers(0, len(VOCABULARY))]
    return " ".join(words)


def corpus(size, *, seed=7, words=50, share_of_copies=0.4, most_edits=12):
    """Texts of which some are copies of earlier ones with up to ``most_edits`` words changed (none: identical)."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(size):
        if texts and rng.random() < share_of_copies:
            texts.append(edited(rng, texts[rng.integers(0, len(texts))], rng.integers(0, most_edits + 1)))
        else:
            texts.append(" ".join(words_of(rng, words)))
    return texts


class ListedTexts:
    """A text source over a list that remembers what was read, and by which thread."""

    def __init__(self, texts):
        self.texts = list(texts)
        self.read = []
        self.threads = set()

    def __len__(self):
        return len(self.texts)

    def batch(self, start, stop):
        self.read.append((start, stop))
        self.threads.add(threading.get_ident())
        return self.texts[start:stop]
