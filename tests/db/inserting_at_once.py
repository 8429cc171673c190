"""Run in its own process: insert documents one small batch after the other, and print what was answered.

Arguments: a name for this crawler, how many topics, and how many documents a batch has. Every crawler brings a
near-copy of each topic; a line is printed, and flushed, only after its batch is committed.
"""

import json
import sys

import django


def main():
    name, topics, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    django.setup()
    from labeling.models import Corpus
    from labeling.stages.checking import check_and_insert
    from tests.db import rows

    corpus = Corpus.objects.get(name="News")
    documents = [
        {"id": f"{name}{topic}", "text": f"{rows.article(f't{topic}x')} {name}", "source": name}
        for topic in range(topics)
    ]
    for start in range(0, topics, size):
        for answer in check_and_insert(corpus, documents[start : start + size]):
            matches = [match["id"] for match in answer["matches"]]
            print(json.dumps({"id": answer["id"], "status": answer["status"], "matches": matches}))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
