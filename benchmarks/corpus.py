"""A seeded corpus: word frequencies as in natural text, planted groups of near-copies, footers, exact copies.

The same specification gives the same bytes. Texts are written as JSON Lines under ``benchmarks/.data``, one object
per text: ``id``, ``group`` (the number of the planted group, -1 for a text without copies), ``edit_rate`` (share of
words that was changed in this copy; 0 is an exact copy but for the footer) and ``text``.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DATA = Path(__file__).parent / ".data"
GENERATOR = (
    "v1"  # Raise it with every change of the texts, so that files written before are not taken for new ones.
)
EDIT_RATES = (0.0, 0.003, 0.01, 0.03, 0.06, 0.1, 0.15)
PLAIN, COMMA, STOP, CAPITAL = range(4)
ONSETS = [
    "b",
    "br",
    "c",
    "ch",
    "d",
    "f",
    "g",
    "gr",
    "h",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
]
NUCLEI = ["a", "a", "e", "e", "e", "i", "i", "o", "o", "u", "ea", "ou"]
ACCENTED = ["é", "ü", "ø", "ñ"]
CODAS = ["", "", "n", "r", "s", "t", "l", "nd"]
FREQUENT_WORDS = 200
ACCENT_FROM, ACCENT_EVERY = 1_000, 200
BLOCK = 5_000
LENGTH_SPREAD = 0.2

WordNumbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusSpec:
    """How many texts, how long, and how many of them are members of planted groups."""

    texts: int
    words: int
    seed: int = 20
    share_in_groups: float = 0.3
    share_with_footer: float = 0.4
    sites: int = 200
    vocabulary: int = 50_000

    @property
    def path(self) -> Path:
        """Where the corpus is written."""
        return DATA / f"{self.texts}x{self.words}-seed{self.seed}-{GENERATOR}.jsonl"


@dataclass(frozen=True, slots=True)
class Planted:
    """One text as word numbers, before it is written out."""

    group: int
    edit_rate: float
    numbers: WordNumbers


def vocabulary(size: int, rng: np.random.Generator) -> list[str]:
    """Distinct made-up words, the frequent ones short; one in 200 of the rarer ones holds an accent."""
    seen: dict[str, None] = {}
    while len(seen) < size:
        syllables = 1 if len(seen) < FREQUENT_WORDS else int(rng.integers(2, 4))
        accented = len(seen) >= ACCENT_FROM and len(seen) % ACCENT_EVERY == 0
        seen.setdefault(_word(syllables, rng, accented=accented))
    return list(seen)


def _word(syllables: int, rng: np.random.Generator, *, accented: bool) -> str:
    parts = []
    for number in range(syllables):
        nuclei = ACCENTED if accented and number == 0 else NUCLEI
        parts += [ONSETS[rng.integers(len(ONSETS))], nuclei[rng.integers(len(nuclei))]]
    return "".join(parts) + CODAS[rng.integers(len(CODAS))]


def word_shares(size: int) -> NDArray[np.float64]:
    """Zipf and Mandelbrot's law: the share of the word of rank r falls as ``1 / (r + 2.7)**1.07``."""
    weights = 1.0 / (np.arange(1, size + 1) + 2.7) ** 1.07
    return weights / weights.sum()


class Writer:
    """Draws texts for one specification; everything random comes from its one generator."""

    def __init__(self, spec: CorpusSpec) -> None:
        self.spec = spec
        self.rng = np.random.default_rng(spec.seed)
        plain = vocabulary(spec.vocabulary, self.rng)
        marked = [f"{word}," for word in plain] + [f"{word}." for word in plain]
        self.forms = plain + marked + [word.capitalize() for word in plain]
        self.bounds = np.cumsum(word_shares(spec.vocabulary))
        footer_words = max(3, spec.words // 25)
        self.footers = [self.draw(footer_words) for _ in range(spec.sites)]

    def draw(self, count: int) -> WordNumbers:
        """Draw ``int32[count]`` numbers of words, by their shares."""
        drawn = np.searchsorted(self.bounds, self.rng.random(count), side="right")
        return np.minimum(drawn, self.spec.vocabulary - 1).astype(np.int32)

    def drafts(self, count: int) -> list[WordNumbers]:
        """Draw ``count`` independent texts with commas, full stops and capitals."""
        low, high = ((1 + side * LENGTH_SPREAD) * self.spec.words for side in (-1, 1))
        lengths = self.rng.integers(round(low), round(high) + 1, count)
        numbers = self.draw(int(lengths.sum()))
        form = self.rng.choice([PLAIN, COMMA, STOP], len(numbers), p=[0.88, 0.05, 0.07]).astype(np.int32)
        after_stop = np.zeros(len(form), bool)
        after_stop[1:] = form[:-1] == STOP
        form[after_stop & (form == PLAIN)] = CAPITAL
        return np.split(numbers + form * self.spec.vocabulary, np.cumsum(lengths)[:-1])

    def edited(self, numbers: WordNumbers, edit_rate: float) -> WordNumbers:
        """Change a share of the words: 70 % are replaced, 15 % deleted, 15 % get a new word before them."""
        count = round(edit_rate * len(numbers)) or int(edit_rate > 0)
        places = self.rng.choice(len(numbers), count, replace=False)
        kinds = self.rng.random(count)
        copy = numbers.copy()
        copy[places] = self.draw(count)
        inserted = np.sort(places[kinds > 0.85])
        kept = np.delete(np.arange(len(copy)), places[(kinds > 0.7) & (kinds <= 0.85)])
        positions = np.searchsorted(kept, inserted)
        return np.insert(copy[kept], positions, self.draw(len(inserted)))

    def groups(self) -> Iterator[tuple[int, int]]:
        """Answer ``(group, size)`` until all texts are used up; -1 stands for a text without copies."""
        left, group = self.spec.texts, 0
        grouped = round(self.spec.texts * self.spec.share_in_groups)
        while grouped >= 2:
            size = int(min(1 + self.rng.geometric(0.5), 12, grouped))
            yield group, size
            left, grouped, group = left - size, grouped - size, group + 1
        yield from ((-1, 1) for _ in range(left))

    def planted(self) -> Iterator[Planted]:
        """All texts, group after group."""
        drafts: list[WordNumbers] = []
        for group, size in self.groups():
            drafts = drafts or self.drafts(BLOCK)
            numbers = drafts.pop()
            yield Planted(group, 0.0, numbers)
            for rate in self.rng.choice(EDIT_RATES, size - 1):
                yield Planted(group, float(rate), self.edited(numbers, rate))

    def footer(self) -> WordNumbers:
        """The footer of a site, or nothing."""
        if self.rng.random() >= self.spec.share_with_footer:
            return np.empty(0, np.int32)
        return self.footers[self.rng.integers(self.spec.sites)]

    def render(self, numbers: WordNumbers) -> str:
        """Words to text, with a footer for some."""
        return " ".join([self.forms[number] for number in np.concatenate([numbers, self.footer()]).tolist()])

    def lines(self) -> Iterator[str]:
        """The corpus as JSON Lines, members of a group scattered over it."""
        texts = [(one.group, one.edit_rate, self.render(one.numbers)) for one in self.planted()]
        for number, place in enumerate(self.rng.permutation(len(texts)).tolist()):
            group, edit_rate, text = texts[place]
            record = {"id": number, "group": group, "edit_rate": edit_rate, "text": text}
            yield json.dumps(record, ensure_ascii=False)


def write(spec: CorpusSpec) -> Path:
    """Write the corpus unless it is there already; a half-written one is never left behind."""
    if spec.path.is_file():
        return spec.path
    DATA.mkdir(exist_ok=True)
    unfinished = spec.path.with_suffix(".unfinished")
    with unfinished.open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in Writer(spec).lines())
    unfinished.rename(spec.path)
    return spec.path


def main() -> None:
    """Write one corpus and print where it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=int)
    parser.add_argument("words", type=int)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    print(write(CorpusSpec(texts=options.texts, words=options.words, seed=options.seed)))


if __name__ == "__main__":
    main()
