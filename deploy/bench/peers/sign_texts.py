"""Signatures by other people's programs, run by their own Python: `sign_texts.py FILE` (a JSON list of texts).

Says on stdout, a JSON object a line, first which peers there are and why one is missing; then, for each name that
comes in on stdin, the CPU seconds of one run over all texts and how many signatures it made.
"""

import json
import re
import sys
import tempfile
import time
from pathlib import Path

WORD = re.compile(r"\w+")
texts = json.loads(Path(sys.argv[1]).read_text("utf-8"))


def shingles(text):
    words = WORD.findall(text.casefold())
    return list(dict.fromkeys(" ".join(words[at : at + 5]) for at in range(len(words) - 4)))


def rensa_sketches(sets):
    import rensa

    made = []
    for values in sets:
        sketch = rensa.RMinHash(num_perm=128, seed=1)
        sketch.update(values)
        made.append(sketch.digest())
    return made


def rensa():
    sets = [shingles(text) for text in texts]
    rensa_sketches(sets[:1])
    return lambda: rensa_sketches(sets)


def rensa_from_texts():
    rensa_sketches([])
    return lambda: rensa_sketches(map(shingles, texts))


def text_dedup():
    import numpy
    from text_dedup.minhash import embed_func
    from text_dedup.utils import sha1_hash

    prime = numpy.uint64((1 << 61) - 1)
    generator = numpy.random.RandomState(42)
    permutations = (
        generator.randint(1, prime, size=128, dtype=numpy.uint64),
        generator.randint(0, prime, size=128, dtype=numpy.uint64),
    )
    ranges = [(start, start + 6) for start in range(0, 120, 6)]

    def run():
        return [
            embed_func(
                text,
                number,
                num_perm=128,
                ngram_size=5,
                min_length=5,
                hashranges=ranges,
                permutations=permutations,
                hash_func=lambda data: sha1_hash(data, d=32),
                dtype=numpy.uint64,
                max_hash=numpy.uint64((1 << 32) - 1),
                modulo_prime=prime,
            )
            for number, text in enumerate(texts)
        ]

    return run


def datatrove():
    from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupSignature

    step = MinhashDedupSignature(
        output_folder=tempfile.mkdtemp(),
        config=MinhashConfig(n_grams=5, num_buckets=16, hashes_per_bucket=8),
    )

    def run():
        return [step.get_signature(step.get_shingles(text)) for text in texts]

    return run


def tell(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def main():
    runs, missing = {}, {}
    makers = {
        "rensa": rensa_from_texts,
        "rensa-shingles": rensa,
        "text-dedup": text_dedup,
        "datatrove": datatrove,
    }
    for name, make in makers.items():
        try:
            runs[name] = make()
        except Exception as error:  # noqa: BLE001 (whatever keeps a peer from starting is what the table says of it)
            missing[name] = f"{type(error).__name__}: {error}"[:200]
    tell({"there": sorted(runs), "missing": missing})
    for line in sys.stdin:
        started = time.process_time()
        made = len(runs[line.strip()]())
        tell({"seconds": time.process_time() - started, "made": made})


main()
