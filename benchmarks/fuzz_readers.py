"""Fuzz the file readers with mutated files, a given number of them.

    python benchmarks/fuzz_readers.py --count 2000 --seed 0

Each input is a built-in table in one of the formats that Assay reads (ARFF, CSV, LIBSVM, JSON lines, a JSON array,
Parquet, Feather, Excel; plain, packed with gzip, or alone in a zip file), with some bytes changed. Of packed files
mostly the content is changed and packed again, so that checksums fit and the change is read; in workbooks the cells,
strings, styles and relations are changed as XML, and parts are lost, doubled, exchanged or renamed. One
input of ten is extreme instead: very many columns, long runs of digits, deep nesting, NUL bytes, several encodings in
one file, open quotes. A reader may return a table or raise ReadError; anything else is a finding, and so are an input
that takes longer than ten seconds, and a table that differs when the file is read in small chunks. Findings are kept in
build/fuzz and make the exit code 1. The seed decides the inputs.
"""

import argparse
import datetime as dt
import gzip
import hashlib
import importlib
import importlib.resources
import io
import json
import pathlib
import re
import signal
import sys
import tempfile
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
importlib.import_module("benchmarks.build_under_test").use()

SECONDS_PER_INPUT = 10
EXTREME_SHARE = 0.1  # of the inputs
TOKENS = [
    b",", b";", b"\t", b"|", b'"', b"'", b"\\", b"\n", b"\r", b"\r\n", b"\n\n", b"%", b"#", b"{", b"}", b"{1 2}",
    b"?", b"NA", b"\0", b"\0\0\0\0", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"@data\n", b"[", b"]", b":",
    b"@attribute x real\n", b"@end x\n", b"1e999", b"-", b"2020-01-01", b'""', b"''", b" ", b"qid:1", b"1:2",
    b"relational", b"date 'yyyy'", b"null", b"NaN", b"true", b'{"a":1}', b"\\ud800", b"\\u0000",
    "\N{MICRO SIGN}".encode(), "\N{MICRO SIGN}".encode("latin-1"), "a\N{GREEK SMALL LETTER BETA}".encode("utf-16-le"),
    b"<v>1e400</v>", b'r="XFD1048576"', b't="s"', b"-1", b"9" * 400, b"0x1p9999", b"1_000",
    b"\x1a", b"\x85", b"\xe2\x80\xa8",
]  # fmt: skip


# ---------------------------------------------------------------------- files to begin with


def seeds() -> list[tuple[str, bytes]]:
    """Real tables in each format, the large ones cut to their first rows."""
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    from assay.tables.readers import read_table
    from assay.tables.writers import write_csv

    files = []
    folder = importlib.resources.files("assay.tables.data") / "packaged"
    with tempfile.TemporaryDirectory() as scratch:
        for file in sorted(folder.iterdir(), key=lambda f: f.name):
            if not file.name.endswith(".arff"):
                continue
            path = pathlib.Path(scratch) / file.name
            path.write_bytes(b"\n".join(file.read_bytes().splitlines()[:150]))
            files.append((".arff", path.read_bytes()))
            frame = read_table(path).X
            write_csv(frame, path)
            files += [(end, path.read_bytes()) for end in (".csv", ".csv", ".csv.gz", ".csv.zip")]
            for write, ending in ((pq.write_table, ".parquet"), (feather.write_feather, ".feather")):
                buffer = io.BytesIO()
                write(frame, buffer)
                files.append((ending, buffer.getvalue()))
            rows = [json.dumps(row, default=str) for row in frame.slice(0, 60).to_pylist()]
            files += [(end, "\n".join(rows).encode()) for end in (".jsonl", ".jsonl.gz")]
            files.append((".json", f"[{', '.join(rows)}]".encode()))
            files.append((".xlsx", workbook(frame.slice(0, 40))))
    rng = np.random.default_rng(0)
    rows = [
        f"{i % 2} " + " ".join(f"{j}:{rng.normal():.3f}" for j in range(1, 9, 1 + i % 3)) for i in range(60)
    ]
    files += [(".libsvm", "\n".join(rows).encode())] * 4
    files += [(".xlsx", rich_workbook())] * 8
    bags = (
        "@relation b\n@attribute i {a,b}\n@attribute g relational\n@attribute x real\n"
        "@attribute d date 'yyyy-MM-dd'\n@end g\n@data\n"
    )
    files.append((".arff", (bags + "a,'1,2020-01-01\\n2,?'\nb,\"3,2021-02-03\", {2}\n{0 b}\n" * 20).encode()))
    return files


def workbook(frame) -> bytes:
    """An Excel file of a table."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append(frame.column_names)
    for row in frame.to_pylist():
        sheet.append(list(row.values()))
    return _saved(book)


def rich_workbook() -> bytes:
    """An Excel file with all kinds of cells, styles and parts."""
    from openpyxl import Workbook
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont
    from openpyxl.comments import Comment

    book = Workbook()
    sheet = book.active
    sheet.append(
        ["name", "count", "share", "day", "moment", "time", "yes", "formula", "error", "rich", None, "note"]
    )
    for i in range(12):
        moment = dt.datetime(2026, 1, 1 + i, 10, i)
        rich = CellRichText("a", TextBlock(InlineFont(b=True), f"b{i}"))
        cells = [
            f"row {i % 5}",
            i,
            i / 7,
            moment.date(),
            moment,
            moment.time(),
            i % 2 == 0,
            f"=B{i + 2}*2",
            "#N/A",
            rich,
        ]
        sheet.append([*cells, None, dt.timedelta(hours=i)])
        sheet.cell(i + 2, 3).number_format = "0.0%"
        sheet.cell(i + 2, 12).number_format = "[h]:mm:ss"
    sheet.append([])
    sheet.append(["total", 66])
    sheet.merge_cells("A15:A16")
    sheet["A1"].comment = Comment("a comment", "author")
    sheet["A2"].hyperlink = "http://example.invalid/"
    book.create_sheet("second").append(["x", 1])
    return _saved(book)


def _saved(book) -> bytes:
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


# ---------------------------------------------------------------------- changes


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


def mutated_file(suffix: str, data: bytes, rng: np.random.Generator) -> bytes:
    """The file changed; a packed one mostly in its content, so that its checksums fit."""
    outside = rng.random() < 0.2
    if suffix == ".xlsx" and not outside:
        return _mutated_member(data, rng)
    if suffix.endswith(".gz"):
        return mutate(gzip.compress(data, 1), rng) if outside else gzip.compress(mutate(data, rng), 1)
    if suffix.endswith(".zip"):
        return mutate(zipped(data), rng) if outside else zipped(mutate(data, rng))
    return mutate(data, rng)


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", data)
    return buffer.getvalue()


# What the parts of a workbook may say instead: references, numbers of styles and strings, types, formats, relations.
ATTRIBUTES = [
    "", "0", "-1", "1", "2147483648", "9" * 30, "1.5", "1e9", "NaN", "x", "A0", "A1", "XFD1048576", "ZZZZ9",
    "A" * 40 + "1", "A1:XFD1048576", "s", "n", "b", "d", "e", "str", "inlineStr", "yyyy-mm-dd", "[h]:mm", '0;;;"x',
    "General", "rId1", "rId99", "rId1 ", "worksheets/sheet1.xml", "/xl/worksheets/sheet1.xml", "../../../x.xml",
    "sharedStrings.xml", "http://example.invalid/", "External", "true", "false", "preserve", "1904", "\N{MICRO SIGN}",
    "&#0;", "&amp;", "&x;",
]  # fmt: skip
TEXTS = [
    "", "0", "-1", "1", "44197", "2958466", "-0.5", "1e400", "-1e308", "9" * 400, "NaN", "INF", "TRUE",
    "2021-02-30T25:61:00",
    "2021-01-31", "P1Y", "#N/A", "#WHAT!", "=A1", "&lt;", "_x0000_", "_xD800_", " ", "\n", "x" * 40_000,
    "\N{MICRO SIGN}",
]  # fmt: skip
TAGS = [
    "c",
    "v",
    "row",
    "is",
    "t",
    "r",
    "f",
    "si",
    "sheetData",
    "mergeCell",
    "xf",
    "numFmt",
    "Relationship",
    "Override",
]
PROLOGUES = [
    '<?xml version="1.0" encoding="utf-16"?>',
    '<?xml version="1.1"?>',
    '<!DOCTYPE x [<!ENTITY x "' + "x" * 50 + '">' + "".join(
        f'<!ENTITY x{i} "{("&x" + (str(i - 1) if i else "") + ";") * 10}">' for i in range(8)
    ) + "]>",
    '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
]  # fmt: skip


def _mutated_member(data: bytes, rng: np.random.Generator) -> bytes:
    """A workbook with some of its parts changed, lost, doubled, exchanged or renamed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given:
        parts = [(name, given.read(name)) for name in given.namelist()]
    for _ in range(rng.integers(1, 4)):
        k, other = (int(i) for i in rng.integers(0, len(parts), 2))
        cells = [
            i for i, (name, _) in enumerate(parts) if "sheet" in name.lower() or "shared" in name.lower()
        ]
        if cells and rng.random() < 0.6:
            k = int(rng.choice(cells))
        name, part = parts[k]
        match rng.integers(0, 20):
            case 0 if len(parts) > 1:
                del parts[k]
            case 1:
                parts.append((name, mutate(part, rng)))
            case 2:
                parts[k] = name, parts[other][1]
            case 3:
                parts[k] = parts[other][0] if rng.random() < 0.5 else name.upper(), part
            case 4 | 5:
                parts[k] = name, mutate(part, rng)
            case _:
                parts[k] = (
                    name,
                    mutated_markup(part.decode("utf-8", "replace"), rng).encode("utf-8", "replace"),
                )
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as made:
        warnings.simplefilter("ignore")  # names that come twice
        for name, part in parts:
            made.writestr(name, part)
    return buffer.getvalue()


def mutated_markup(text: str, rng: np.random.Generator) -> str:
    """XML with a few edits that leave most of it well formed: attributes, text, elements, the prologue."""
    for _ in range(rng.integers(1, 4)):
        attributes = list(re.finditer(r'="([^"]*)"', text))
        elements = list(re.finditer(r"<(\w+)(?: [^>]*)?(?:/>|>[^<>]*</\1>)", text))  # without elements inside
        rows = list(re.finditer(r"<(row|si|xf|Relationship|sheet)\b.*?(?:</\1>|/>)", text, re.DOTALL))
        contents = list(re.finditer(r">([^<>]+)<", text))

        def pick(matches):
            return matches[rng.integers(0, len(matches))]

        match rng.integers(0, 10):
            case 0 | 1 | 2 if attributes:
                instead = str(rng.choice(ATTRIBUTES)) if rng.random() < 0.7 else pick(attributes)[1]
                text = _exchanged(text, pick(attributes).span(1), instead)
            case 3 | 4 if contents:
                instead = str(rng.choice(TEXTS)) if rng.random() < 0.7 else pick(contents)[1]
                text = _exchanged(text, pick(contents).span(1), instead)
            case 5 if elements or rows:
                text = _exchanged(text, pick(elements + rows).span(), "")
            case 6 if elements or rows:
                chosen = pick(elements + rows)
                times = int(rng.choice([2, 3, 50, 20_000])) if len(chosen[0]) < 200 else 2
                text = _exchanged(text, chosen.span(), chosen[0] * times)
            case 7 if elements and rows:
                text = _exchanged(text, pick(elements).span(), pick(rows)[0])
            case 8 if elements:
                chosen, tag = pick(elements), str(rng.choice(TAGS))
                inside = (
                    chosen[0].replace(f"<{chosen[1]}", f"<{tag}", 1).replace(f"</{chosen[1]}>", f"</{tag}>")
                )
                text = _exchanged(text, chosen.span(), inside)
            case 9 if rng.random() < 0.3:
                text = str(rng.choice(PROLOGUES)) + re.sub(r"^<\?xml[^>]*>", "", text)
                if contents:
                    text = text.replace(f">{pick(contents)[1]}<", ">&x7;<", 1)
            case _ if elements:
                depth = int(rng.choice([3, 3000, 200_000]))
                text = _exchanged(text, pick(elements).span(), "<x>" * depth + "</x>" * depth)
    return text


def _exchanged(text: str, span: tuple[int, int], instead: str) -> str:
    return text[: span[0]] + instead + text[span[1] :]


def _nested(opening: str, closing: str) -> Callable[[int], str]:
    return lambda n: opening * n + "1" + closing * n


# Inputs that are extreme rather than broken: their ending, and their text for a size.
EXTREME: list[tuple[str, Callable[[int], str]]] = [
    (".csv", lambda n: ",".join(f"c{j}" for j in range(n)) + "\n" + ",".join("1" * n) + "\n"),
    (".csv", lambda n: "," * n + "\n" + "," * n),
    (".csv", lambda n: "a,b\n" + "1" * n + ",x\n2,y\n"),
    (".csv", lambda n: "a,b\n" + "1," * n + "\n"),
    (".csv", lambda n: "a\n" + "1." * n + "\n1,000" + ",000" * n + "\n"),
    (".csv", lambda n: "a,b\n" + '"' * n + "\n"),
    (".csv", lambda n: 'a,b\n"' + "x\n" * n),
    (".csv", lambda n: "a" * n + ",b\n1,2\n"),
    (".csv", lambda n: "a,b\n1," + "\0" * n + "\n"),
    (".csv", lambda n: "a,b\n" + "\n" * n + "1,2\n"),
    (".csv", lambda n: "#" * n + "\na,b\n1,2\n"),
    (".csv", lambda n: "#\n" * n + "a,b\n1,2\n"),
    (".csv", lambda n: "a\n2020-01-01" + "T" * n + "\n"),
    (".csv", lambda n: "a;b\n" + "1,5;2\n" * n + "x;\ud7ff"),
    (".jsonl", lambda n: '{"a": ' + _nested("[", "]")(n) + "}"),
    (".jsonl", lambda n: '{"a": ' * n + "1" + "}" * n),
    (".jsonl", lambda n: '{"a": ' + "9" * n + "}"),
    (".jsonl", lambda n: '{"a": 1.' + "9" * n + "e" + "9" * min(n, 400) + "}"),
    (".jsonl", lambda n: "{" + ", ".join(f'"c{j}": {j}' for j in range(n)) + "}\n{}\n"),
    (".jsonl", lambda n: "\n".join(f'{{"c{j}": {j}}}' for j in range(min(n, 800)))),
    (".jsonl", lambda n: '{"' + "k" * n + '": "' + "\\u0000" * n + '"}'),
    (".json", _nested("[", "]")),
    (".json", lambda n: "[" + '{"a":1},' * n),
    (".json", lambda n: '[{"a": "' + "\\" * n),
    (".arff", lambda n: "@relation r\n" + "".join(f"@attribute a{j} real\n" for j in range(n // 10)) + "@data\n"),
    (".arff", lambda n: "@relation r\n@attribute a {" + ",".join(map(str, range(n))) + "}\n@data\n1\n"),
    (".arff", lambda n: "@relation r\n" + "@attribute a relational\n" * n + "@data\n1\n"),
    (".arff", lambda n: "@relation r\n@attribute a real\n@data\n" + "{" * n),
    (".arff", lambda n: "@relation r\n@attribute a string\n@data\n'" + "\\" * n),
    (".arff", lambda n: "@relation r\n@attribute a real\n@data\n" + "7" * n + "\n"),
    (".arff", lambda n: "@relation " + "r" * n + "\n@attribute '" + "a" * n + "' real\n@data\n1\n"),
    (".libsvm", lambda n: "1 " + " ".join(f"{j + 1}:1" for j in range(n)) + "\n"),
    (".libsvm", lambda n: "1 " + "9" * n + ":1\n"),
    (".libsvm", lambda n: "1 1:" + "9" * n + "\n"),
    (".libsvm", lambda n: "1 " + ":" * n + "\n"),
]  # fmt: skip


def extreme(rng: np.random.Generator) -> tuple[str, bytes]:
    """An extreme file: of some size, perhaps in another encoding in part, perhaps packed."""
    suffix, text = EXTREME[rng.integers(0, len(EXTREME))]
    content = text(int(rng.choice([7, 1000, 30_000, 200_000])))
    cut = int(rng.integers(0, len(content) + 1))
    encodings = ["utf-8", "utf-16", "utf-16-le", "utf-32", "latin-1", "utf-8-sig", "utf-7"]
    match rng.integers(0, 6):
        case 0:
            data = content.encode(str(rng.choice(encodings)), "replace")
        case 1:  # the beginning in one, the rest in another
            first, second = (str(name) for name in rng.choice(encodings, 2))
            data = content[:cut].encode(first, "replace") + content[cut:].encode(second, "replace")
        case 2:
            data = mutate(content.encode("utf-8", "replace"), rng)
        case _:
            data = content.encode("utf-8", "replace")
    if suffix == ".csv" and rng.random() < 0.2:
        return (".csv.gz", gzip.compress(data, 1)) if rng.random() < 0.5 else (".csv.zip", zipped(data))
    return suffix, data


# ---------------------------------------------------------------------- what is asked of a reader


def check(path: pathlib.Path) -> str:
    """Read a file twice, with large and with small chunks; how it ended."""
    from assay.errors import ReadError
    from assay.tables.readers import arff, json_lines, libsvm, read_table, records

    outcomes = []
    size_of_file = path.stat().st_size * (200 if path.suffix in (".gz", ".zip") else 1)
    small = max(97, size_of_file // 60)  # a large file has dozens of chunks: each of them costs its columns
    for size, block in ((1 << 22, 16384), (small, max(7, small // 50))):
        for module in (records, arff, libsvm):
            module.CHUNK = size
        json_lines.BLOCK_ROWS = block
        json_lines.FIRST_BLOCK, json_lines.BLOCK_BYTES = (min(size, n) for n in (1 << 15, 1 << 20))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # openpyxl warns of parts of a workbook that it does not know
                data = read_table(path)
            sparse = data.format == "libsvm"
            table = data.X.values.tocoo() if sparse else data.X
            rows = (table.row, table.col, table.data) if sparse else [column.to_pylist() for column in table]
            shape = (table.shape, [] if sparse else table.column_names)
            outcomes.append(("read", data.format, shape, repr(rows), repr(data.y), repr(data.weights)))
        except ReadError as error:
            if str(path) not in str(error):
                raise AssertionError(f"the error does not name the file: {error}") from error
            outcomes.append(("refused",))
    if outcomes[0] != outcomes[1]:
        raise AssertionError("small chunks give another table")
    return outcomes[0][0]


def too_long(signum, frame):
    raise TimeoutError(f"an input took more than {SECONDS_PER_INPUT} seconds")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000, help="inputs to read")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--format", default="", help="only files whose name ends so, and no extreme ones: .xlsx"
    )
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    pool = [(suffix, data) for suffix, data in seeds() if suffix.endswith(options.format)]
    counts, kept = Counter(), ROOT / "build" / "fuzz"
    signal.signal(signal.SIGVTALRM, too_long)
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(options.count):
            if not options.format and rng.random() < EXTREME_SHARE:
                suffix, data = extreme(rng)
            else:
                suffix, data = pool[rng.integers(0, len(pool))]
                data = mutated_file(suffix, data, rng)
            path = pathlib.Path(scratch) / f"t{suffix}"
            path.write_bytes(data)
            signal.setitimer(
                signal.ITIMER_VIRTUAL, SECONDS_PER_INPUT
            )  # processor time: others may use the machine
            try:
                counts[suffix, check(path)] += 1
            except Exception:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                kept.mkdir(parents=True, exist_ok=True)
                name = kept / (hashlib.sha256(data).hexdigest()[:12] + suffix)
                name.write_bytes(data)
                counts[suffix, "FOUND"] += 1
                print(f"{name}: {traceback.format_exc(limit=-3)}", flush=True)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    for (suffix, outcome), count in sorted(counts.items()):
        print(f"{suffix:10} {outcome:8} {count}")
    return 1 if any(outcome == "FOUND" for _, outcome in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
