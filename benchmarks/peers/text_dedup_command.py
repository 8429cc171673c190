"""text-dedup's ``minhash`` command, called in this process with its defaults; it verifies no pair.

The texts are saved as a local dataset first, outside of the measured time, so that reading costs it nothing.
"""

import os
import tempfile

os.environ["HF_DATASETS_OFFLINE"] = "1"
os.environ["HF_DATASETS_DISABLE_PROGRESS_BARS"] = "1"

import logging

from datasets import Dataset, disable_progress_bars
from text_dedup import minhash as command

from benchmarks.measuring import BANDS, NUM_PERM, ROWS_PER_BAND, THRESHOLD, K, measure

SIZES = {"num_perm": NUM_PERM, "ngram": K, "b": BANDS, "r": ROWS_PER_BAND, "threshold": THRESHOLD}


class SavedTexts:
    """A folder that holds the texts as a dataset and takes the command's output."""

    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory()

    def cluster(self, texts: list[str]) -> list[int]:
        """Run the command on the saved dataset and read the clusters that it found."""
        options = [part for name, value in SIZES.items() for part in (f"--{name}", str(value))]
        places = ["--path", f"{self.folder.name}/texts", "--output", f"{self.folder.name}/kept", "--local"]
        command.main([*places, "--column", "text", "--num_proc", "1", *options], standalone_mode=False)
        return [command.uf.find(number) for number in range(len(texts))]

    def save(self, texts: list[str]) -> None:
        """Write the dataset."""
        Dataset.from_dict({"text": texts}).save_to_disk(f"{self.folder.name}/texts")


if __name__ == "__main__":
    logging.disable(logging.INFO)
    disable_progress_bars()
    saved = SavedTexts()
    measure(
        saved.cluster,
        distribution="text-dedup",
        how="the minhash command with --num_proc 1 on a saved dataset, its own words, no verification",
        prepare=saved.save,
    )
