"""Fuzz the file readers with mutated real files, for a bounded time.

    python benchmarks/fuzz_readers.py --seconds 60 --seed 0

Each input is a built-in ARFF file, or its table written as CSV, LIBSVM or Parquet, with some bytes changed.
A reader may return a table or raise ReadError; anything else is a finding, and so are an input that takes
longer than ten seconds, and a table that differs when the file is read in small chunks. Findings are kept in
build/fuzz and make the exit code 1.
"""

import argparse
import gzip
import hashlib
import importlib.resources
import io
import pathlib
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter

import numpy as np

from assay.errors import ReadError
from assay.tables.readers import arff, libsvm, read_table, records
from assay.tables.writers import write_csv

TOKENS = [
    b",", b";", b"\t", b"|", b'"', b"'", b"\\", b"\n", b"\r", b"\r\n", b"\n\n", b"%", b"#", b"{", b"}", b"{1 2}",
    b"?", b"NA", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"@data\n", b"@attribute x real\n", b"@end x\n",
    b"1e999", b"-", b"2020-01-01", b'""', b"''", b" ", b"qid:1", b"1:2", b"relational", b"date 'yyyy'",
]  # fmt: skip
LIMIT = 10  # seconds that one input may take


def seeds() -> list[tuple[str, bytes]]:
    """Real files in each format, the large ones cut to their first rows."""
    import pyarrow.parquet as pq

    found = []
    folder = importlib.resources.files("assay.tables.data") / "packaged"
    with tempfile.TemporaryDirectory() as scratch:
        for file in sorted(folder.iterdir(), key=lambda f: f.name):
            if not file.name.endswith(".arff"):
                continue
            path = pathlib.Path(scratch) / file.name
            path.write_bytes(b"\n".join(file.read_bytes().splitlines()[:150]))
            found.append((".arff", path.read_bytes()))
            frame = read_table(path).X
            write_csv(frame, path)
            found += [(".csv", path.read_bytes()), (".csv.gz", gzip.compress(path.read_bytes()))]
            buffer = io.BytesIO()
            pq.write_table(frame, buffer)
            found.append((".parquet", buffer.getvalue()))
    rng = np.random.default_rng(0)
    rows = [
        f"{i % 2} " + " ".join(f"{j}:{rng.normal():.3f}" for j in range(1, 9, 1 + i % 3)) for i in range(60)
    ]
    found.append((".libsvm", "\n".join(rows).encode()))
    bags = (
        "@relation b\n@attribute i {a,b}\n@attribute g relational\n@attribute x real\n"
        "@attribute d date 'yyyy-MM-dd'\n@end g\n@data\n"
    )
    found.append((".arff", (bags + "a,'1,2020-01-01\\n2,?'\nb,\"3,2021-02-03\", {2}\n{0 b}\n" * 20).encode()))
    return found


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """A few random edits: bytes changed, tokens put in, spans cut, doubled or moved."""
    buffer = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        a, b = sorted(rng.integers(0, len(buffer) + 1, 2).tolist())
        b = min(b, a + int(rng.integers(1, 200)))
        match rng.integers(0, 7):
            case 0 if a < len(buffer):
                buffer[a] = int(rng.integers(0, 256))
            case 1 | 2 | 3:
                buffer[a:a] = TOKENS[rng.integers(0, len(TOKENS))]
            case 4:
                del buffer[a:b]
            case 5:
                buffer[a:a] = buffer[a:b]
            case 6 if rng.random() < 0.2:
                del buffer[a:]
    return bytes(buffer)


def check(path: pathlib.Path) -> str:
    """Read a file twice, with large and with small chunks; how it ended."""
    outcomes = []
    for size in (1 << 22, 97):
        for module in (records, arff, libsvm):
            module.CHUNK = size
        try:
            data = read_table(path)
            table = data.X.values.toarray().tolist() if data.format == "libsvm" else data.X.to_pydict()
            outcomes.append(("read", data.format, repr(table), repr(data.y), repr(data.weights)))
        except ReadError as error:
            if str(path) not in str(error):
                raise AssertionError(f"the error does not name the file: {error}") from error
            outcomes.append(("refused",))
    if outcomes[0] != outcomes[1]:
        raise AssertionError("small chunks give another table")
    return outcomes[0][0]


def too_long(signum, frame):
    raise TimeoutError(f"an input took more than {LIMIT} seconds")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    pool, counts, kept = seeds(), Counter(), pathlib.Path("build/fuzz")
    signal.signal(signal.SIGALRM, too_long)
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as scratch:
        while time.monotonic() < end:
            suffix, data = pool[rng.integers(0, len(pool))]
            data = mutate(data, rng)
            path = pathlib.Path(scratch) / f"t{suffix}"
            path.write_bytes(data)
            signal.alarm(LIMIT)
            try:
                counts[suffix, check(path)] += 1
            except Exception:
                signal.alarm(0)
                kept.mkdir(parents=True, exist_ok=True)
                name = kept / (hashlib.sha256(data).hexdigest()[:12] + suffix)
                name.write_bytes(data)
                counts[suffix, "FOUND"] += 1
                print(f"{name}: {traceback.format_exc(limit=-3)}")
            finally:
                signal.alarm(0)
    for (suffix, outcome), count in sorted(counts.items()):
        print(f"{suffix:10} {outcome:8} {count}")
    return 1 if any(outcome == "FOUND" for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
