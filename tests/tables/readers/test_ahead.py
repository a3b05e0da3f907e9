"""Reading ahead on threads: the same tables and the same errors as one thread gives, wherever pages are cut."""

import gzip
import threading

import pytest

from assay.errors import AssayError
from assay.tables.readers import ahead, cells, read_blocks, read_table, records
from assay.tables.readers.ahead import by_columns

AWKWARD = {
    "quotes with line ends": b'a,b,c\n1,"x\ny",2\n3,"p ""q"",\n\n",4\n5,"",6\n7,"\n",8\n',
    "quotes with CRLF": b'a,b\r\n1,"x\r\ny"\r\n2,"\r"\r\n\r\n3,z\r\n',
    "lone CR": b'a,b\r1,x\r2,"y\rz"\r3,w',
    "mixed line ends": b"a,b\n1,x\r2,y\r\n3,z\n\r4,w\r",
    "byte order mark": b'\xef\xbb\xbf"a",b\n1,\xc3\xa9\n2,\xe2\x82\xac\n',
    "UTF-16": "a,b\n1,é\n2,€\n".encode("utf-16"),
    "Windows-1252 below": b"a,b\n1,x\n2,y\n3,\xe9\n4,\x80\n",
    "comments": b"# first\n# second\na,b\n1,2\n3,4\n5,6\n",
    "types that change": b"a,b,c,d\n,1,2020-01-02,NA\n2,2.5,2020-01-03,?\nx,1e3,no,9\n-0,7, 8 ,12345678901234567890\n",
    "groups of digits": b"a;b\n1.234,5;1\n2;3\n1 234;-4\n",
    "blanks": b"a, b , c\n1 , 2,x \n  3,  ,y\n , 4 ,z\n",
    "no header": b"1,2\n3,4\n5,6\n7,x\n",
    "one column": b"a\n1\n\n2\n\n\n3",
    "one line": b"a,b",
    "one line with its end": b"a,b\n",
    "empty": b"",
    "line ends only": b"\n\n\n",
    "no final line end": b'a,b\n1,"x"\n2,"y"',
    "ragged below": b'a,b\n1,"x\ny"\n2,3\n4,5\n6,7,8\n9,10\n',
    "too short below": b"a,b\r\n1,2\r\n3,4\r\n5\r\n",
    "a quote never closed": b'a,b\n1,2\n3,"x\ny\n4,5\n',
    "text after a quote": b'a,b\n1,2\n3,"x\ny" z\n4,5\n',
    "a quote within a cell": b'a,b\n1,5" nail\n2,x"y"z\n3,"w"\n',
    "NUL": b"a,b\n1,2\n3,4\n5,\x006\n",
    "not UTF-8": b"a,b\n1,\xc3\xa9\n2,x\n3,\xff\n",
    "a huge cell": b"a,b\n1," + b"x" * 200 + b'\n2,"' + b"y\n" * 100 + b'"\n3,z\n',
    "packed": gzip.compress(b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i) for i in range(30))),
    "packed and cut off": gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(30)))[:-30],
}  # fmt: skip
OPTIONS = [{}, {"comment": "#", "escape": "\\"}, {"na": ["x", 2]}, {"nominal": ["a"]}]


@pytest.fixture
def on_three_threads(monkeypatch):
    monkeypatch.setattr("assay.threads._cores", lambda: 3)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("ASSAY_NUM_THREADS", raising=False)
    monkeypatch.setattr(ahead, "CELLS", 0)


def outcome(read):
    try:
        tables = read()
    except (AssayError, Warning) as error:
        return str(error)
    return [(str(table.schema), repr(table.to_pydict())) for table in tables]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", AWKWARD)
def test_every_cut_gives_what_one_thread_gives_of_the_whole(
    on_three_threads, tmp_path, monkeypatch, name, options
):
    """The file is read in pieces of every size, also with a page for each few cells; on one thread and on three."""
    path = tmp_path / "t.csv"
    path.write_bytes(AWKWARD[name])
    ways = [lambda: [read_table(path, **options).X], lambda: list(read_blocks(path, rows=3, **options))]
    with monkeypatch.context() as patch:
        patch.setattr(ahead, "CELLS", 1 << 30)
        whole = [outcome(read) for read in ways]
    n = len(AWKWARD[name])
    for size in range(4, n + 2, 1 if n < 150 else 7):  # a byte order mark of four bytes is read at once
        monkeypatch.setattr(records, "CHUNK", size)
        monkeypatch.setattr(cells, "BYTES_OF_A_CELL", 4 if size % 2 else 40)
        assert [outcome(read) for read in ways] == whole, size


def test_types_of_pages_before_are_known_and_columns_come_in_order(on_three_threads):
    pages = [Fake(i) for i in range(20)]
    taken = []
    busy = set()

    def work(page, j):
        assert taken == list(range(page.number)), "what the page before gave was taken"
        busy.add(threading.current_thread().name)
        return (page.number, j)

    for results in by_columns(iter(pages), work, [2, 0, 1]):
        taken.append(results[0][0])
        assert results == [(taken[-1], 2), (taken[-1], 0), (taken[-1], 1)]
    assert taken == list(range(20))
    assert threading.main_thread().name not in busy


def test_the_next_page_is_found_while_columns_are_read(on_three_threads):
    meet = threading.Barrier(2, timeout=20)

    def pages():
        yield Fake(0)
        meet.wait()
        yield Fake(1)

    def work(page, j):
        if page.number == 0:
            meet.wait()  # would time out if one waited for the other
        return page.number

    assert list(by_columns(pages(), work, [0])) == [[0], [1]]


def test_an_error_comes_when_its_page_is_asked_for(on_three_threads):
    def pages():
        yield Fake(0)
        raise ValueError("the second page")

    results = by_columns(pages(), lambda page, j: j, [0, 1])
    assert next(results) == [0, 1]
    with pytest.raises(ValueError, match="the second page"):
        next(results)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_in_a_column_ends_the_others(on_three_threads, error):
    done = []

    def work(page, j):
        if j == 1:
            raise error("column 1")
        done.append(j)
        return j

    with pytest.raises(error, match="column 1"):
        list(by_columns(iter([Fake(0), Fake(1)]), work, range(1000)))
    assert len(done) < 1000
    assert list(by_columns(iter([Fake(0)]), lambda page, j: j, [3])) == [
        [3]
    ]  # the same threads, at other work


def test_small_pages_stay_on_the_callers_thread(on_three_threads, monkeypatch):
    monkeypatch.setattr(ahead, "CELLS", 100)
    here = threading.current_thread()
    names = list(by_columns(iter([Fake(0)]), lambda page, j: threading.current_thread(), [0, 1]))
    assert names == [[here, here]]


class Fake:
    """A page as by_columns knows it."""

    rows, width = 9, 11

    def __init__(self, number):
        self.number = number
