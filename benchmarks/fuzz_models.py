"""Attack model files: tampered copies of saved models are loaded and asked, for a bounded time.

    python benchmarks/fuzz_models.py --seconds 60 --seed 0

Each file is a model of one of our learners in which arrays have another shape, type or values (huge, negative, NaN,
swapped), or a place of the manifest holds something else (numbers, classes, parameters, keys that are lost or new). The
digest fits, as a stranger would make it. ``assay.load`` may refuse it with a PersistenceError, or give a model that
answers with as many rows as it was asked, or an ordinary error. Anything else is a finding: a crash, more than ten
seconds of work, a gigabyte, another exception, an answer of another length, a matrix that leads outside of itself.

The files are tried in child processes, so that a crash is a line here and the attack goes on behind it. Every try has
a number that makes it again: ``--learner NAME --first NUMBER --count 1``.
"""

import argparse
import copy
import faulthandler
import functools
import importlib.util
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
importlib.import_module("benchmarks.build_under_test").use()  # make attack: another build of the package

SECONDS_PER_TRY = 10  # of processor time
PATIENCE = 120  # seconds on the clock, after which a try hangs
MEMORY = 1 << 30  # bytes that a try may take beyond what the libraries take
ORDINARY = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, NotImplementedError)
WAYS = (
    "predict_proba", "decision_function", "predict_log_proba", "predict", "transform", "score_samples",
    "kneighbors_graph", "radius_neighbors_graph", "apply", "decision_path", "explain", "show",
)  # fmt: skip


class Finding(NamedTuple):
    """A try that did harm: which one, and what happened."""

    learner: str
    number: int
    what: str


def attack(
    seconds: float | None = None,
    count: int | None = None,
    seed: int = 0,
    learners: list[str] | None = None,
    first: int = 0,
    tell: Callable[[Finding], None] | None = None,
) -> tuple[list[Finding], Counter]:
    """Try tampered files of every learner in turn; what did harm, and how often tries ended how.

    Parameters
    ----------
    seconds : how long to go on; None without a limit of time
    count : how many tries for each learner; None without a limit of number
    seed : another seed makes other files; the same makes the same
    learners : names, as in tests/test_every_learner.py or in ``special``; None for all
    first : the number of the first try
    tell : called with each finding as it comes
    """
    end = None if seconds is None else time.monotonic() + seconds
    names = all_names() if learners is None else learners
    rounds = [(name, first, count) for name in names]
    if count is None:  # a few tries of each, again and again
        rounds = ((name, start, 50) for start in range(first, 10**9, 50) for name in names)
    findings, outcomes = [], Counter()
    todo = [*rounds] if count is not None else rounds
    for group in _groups(todo, 25):
        if end is not None and time.monotonic() > end:
            break
        some, ended = _in_children(group, seed, end)
        findings += some
        outcomes += ended
        for finding in some if tell else ():
            tell(finding)
    return findings, outcomes


def _groups(rounds, size):
    group = []
    for one in rounds:
        group.append(one)
        if len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _in_children(rounds, seed, end):
    """Work through rounds in a child process; after a crash a new one goes on behind the try that did it."""
    findings, outcomes, rounds = [], Counter(), list(rounds)
    while rounds and (end is None or time.monotonic() < end):
        with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as scratch:
            told = pathlib.Path(scratch) / "told"
            work = ";".join(f"{name},{start},{number}" for name, start, number in rounds)
            left = [] if end is None else ["--seconds", str(max(1.0, end - time.monotonic()))]
            command = [
                sys.executable,
                __file__,
                "--child",
                work,
                "--seed",
                str(seed),
                "--told",
                str(told),
                *left,
            ]
            child = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
            lines = told.read_text(errors="replace").splitlines() if told.exists() else []
        current = None
        for line in lines:
            word, *rest = line.split("\t")
            if word == "try":
                current = (rest[0], int(rest[1]))
            elif word == "found":
                findings.append(Finding(*current, rest[0]))
                outcomes["found"] += 1
            elif word == "end":
                outcomes[rest[0]] += int(rest[1])
        if child.returncode == 0:
            break
        last = "\n".join(child.stderr.splitlines()[:25])
        if current is None:
            raise RuntimeError(f"the child did not begin: {last}")
        findings.append(Finding(*current, f"the process ended with {child.returncode}: {last}"))
        outcomes["crash"] += 1
        name, number = current
        at = [one[0] for one in rounds].index(name)
        _, start, many = rounds[at]
        rounds = [(name, number + 1, start + many - number - 1), *rounds[at + 1 :]]
    return findings, outcomes


# ---------------------------------------------------------------------- in the child


def child(work: str, seed: int, told: str, seconds: float | None) -> int:
    """Try the files of some rounds; every try is told before it begins."""
    faulthandler.enable()
    os.fsync = lambda file: None
    _full_checks()
    end = None if seconds is None else time.monotonic() + seconds
    rounds = [one.split(",") for one in work.split(";")]
    path = pathlib.Path(told).with_name("model.assay")
    saved = {
        name: _saved(name, path) for name, _, _ in rounds
    }  # what is imported is, before memory is limited
    _limit_memory()
    outcomes: Counter = Counter()
    with open(told, "w", buffering=1) as report, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for name, start, many in rounds:
            manifest, tensors, asked = saved[name]
            for number in range(int(start), int(start) + int(many)):
                if end is not None and time.monotonic() > end:
                    break
                report.write(f"try\t{name}\t{number}\n")
                faulthandler.dump_traceback_later(PATIENCE, exit=True)
                begun = time.process_time()
                rng = np.random.default_rng([seed, zlib.crc32(name.encode()), number])
                try:
                    ended = attempt(*tampered(manifest, tensors, number, rng), asked, path)
                    outcomes[ended] += 1
                    if time.process_time() - begun > SECONDS_PER_TRY:
                        report.write(f"found\tit took {time.process_time() - begun:.0f} seconds\n")
                except BaseException as error:
                    report.write(f"found\t{type(error).__name__}: {_where(error)}\n")
                finally:
                    faulthandler.cancel_dump_traceback_later()
        for ended, many in outcomes.items():
            report.write(f"end\t{ended}\t{many}\n")
    return 0


def attempt(manifest, tensors, X, path) -> str:
    """Write, load and ask one tampered file; how it ended."""
    import assay
    from assay.core.persistence import container
    from assay.errors import PersistenceError

    try:
        container.write(path, manifest, tensors)
    except (TypeError, ValueError, PersistenceError):  # no file of such a manifest can be
        return "not written"
    try:
        model = assay.load(path)
    except PersistenceError as error:
        if isinstance(error.__cause__, (MemoryError, RecursionError)):
            raise AssertionError(f"load asked for too much: {error}") from error.__cause__
        return "refused"
    ask(model, X)
    return "loaded"


def ask(model, X) -> None:
    """All that a model can say about rows; an ordinary error is an answer as well."""
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    for way in WAYS:
        try:
            method = getattr(model, way, None)
            if method is None:
                continue
            if way == "show":
                str(method())
                continue
            if way == "explain":
                str(method(X[:1] if isinstance(X, (list, np.ndarray)) else X.iloc[:1]))
                continue
            answer = method(X)
            for one in answer if isinstance(answer, (list, tuple)) else [answer]:
                dense = one.toarray() if hasattr(one, "toarray") else np.asarray(one)
                if way not in ("decision_path",) and dense.shape[:1] != (n,):
                    raise AssertionError(f"{way} answers {dense.shape} for {n} rows")
        except ORDINARY:
            continue
    try:
        if hasattr(model, "recommend"):
            (
                model.recommend(model.ratings_.users[0]),
                model.predict(model.ratings_.users[:3], model.ratings_.items[:3]),
            )
        if hasattr(model, "measures"):
            model.measures()
    except ORDINARY:
        pass


def _full_checks() -> None:
    """Let SciPy look at every index of every matrix that is made."""
    from scipy.sparse import _compressed

    plain = _compressed._cs_matrix.check_format
    _compressed._cs_matrix.check_format = lambda self, full_check=True: plain(self, full_check=True)


def _limit_memory() -> None:
    """A limit on what a try may take; not under a sanitizer, which reserves terabytes."""
    if "ASAN_OPTIONS" not in os.environ and "asan" not in os.environ.get("LD_PRELOAD", ""):
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _where(error: BaseException) -> str:
    frame = error.__traceback__
    place = ""
    while frame is not None:
        file = frame.tb_frame.f_code.co_filename
        if "assay" in file:
            place = f"{pathlib.Path(file).name}:{frame.tb_lineno}"
        frame = frame.tb_next
    return f"{str(error)[:300]} ({place})".replace("\n", " ").replace("\t", " ")


# ---------------------------------------------------------------------- tampering


def tampered(manifest, tensors, number: int, rng: np.random.Generator):
    """A copy in which one to three things are not as they were; every third try gives one array another shape."""
    manifest, tensors = copy.deepcopy(manifest), dict(tensors)
    if tensors and number % 3 == 0:  # in an order that visits all arrays before it begins again
        order = np.random.default_rng(len(tensors)).permutation(4 * len(tensors))
        place = int(order[number // 3 % len(order)])
        name = sorted(tensors)[place // 4]
        tensors[name] = _another_shape(tensors[name], place % 4)
        return manifest, tensors
    for _ in range(int(rng.choice([1, 1, 1, 2, 3]))):
        if tensors and rng.random() < 0.6:
            _tamper_array(tensors, rng)
        else:
            _tamper_manifest(manifest, tensors, rng)
    return manifest, tensors


def _another_shape(array, which: int):
    if array.ndim == 0:
        return array[None]
    return np.ascontiguousarray((array[:0], np.repeat(array, 2, axis=0), array[None], array.T[:1].T)[which])


WHOLE = [
    0,
    1,
    -1,
    2,
    -2,
    7,
    127,
    255,
    2**15,
    2**30,
    2**31 - 1,
    2**31,
    2**32,
    2**40,
    2**62,
    2**63 - 1,
    -(2**31),
    -(2**63),
]
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 1e19, -1e19, 1e300, -1e300, 5e-324, np.inf, -np.inf, np.nan]


def _tamper_array(tensors, rng) -> None:
    names = sorted(tensors)
    name = names[rng.integers(len(names))]
    array = tensors[name].copy()
    kind = rng.integers(10)
    if kind == 0:
        array = _another_shape(array, int(rng.integers(4)))
    elif kind == 1:
        other = tensors[names[rng.integers(len(names))]]
        array = other.copy()
    elif kind == 2:
        with np.errstate(all="ignore"):
            array = array.astype(rng.choice(["f8", "f4", "i8", "i4", "u1", "i1", "u8", "bool"]))
    elif kind == 3 and array.size:
        array = np.ascontiguousarray(rng.permutation(array.reshape(-1)).reshape(array.shape))
    elif kind == 4 and array.size > 1:
        keep = int(rng.integers(1, array.shape[0] + 1))
        array = np.ascontiguousarray(array[:keep])
    elif array.size:
        flat = array.reshape(-1)
        at = rng.integers(0, flat.size, 1 if kind < 8 else flat.size)
        flat[at] = _strange(array.dtype, rng)
    tensors[name] = array


def _strange(dtype, rng):
    if dtype.kind == "f":
        return np.float64(FLOATS[rng.integers(len(FLOATS))]).astype(dtype)
    if dtype.kind in "iu":
        value = WHOLE[rng.integers(len(WHOLE))]
        info = np.iinfo(dtype)
        return dtype.type(min(max(value, int(info.min)), int(info.max)))
    return dtype.type(rng.integers(2))


@functools.cache
def _class_names() -> tuple[str, ...]:
    from assay.core.persistence import registry

    found = set()
    for room in registry.ROOMS:
        found |= {
            registry.name_of(value) for value in registry._public(room).values() if isinstance(value, type)
        }
    return tuple(sorted(found - {None}))


def _places(node, path=()):
    """Every place in a manifest."""
    yield path
    inside = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in inside:
        yield from _places(value, (*path, key))


def _tamper_manifest(manifest, tensors, rng) -> None:
    places = [path for path in _places(manifest["model"]) if path]
    *way, last = places[rng.integers(len(places))]
    parent = manifest["model"]
    for step in way:
        parent = parent[step]
    kind = rng.integers(8)
    if kind == 0:
        del parent[last]
    elif kind == 1 and isinstance(parent, dict):
        parent[f"{last}{rng.choice(['', '_', 's'])}"] = copy.deepcopy(parent[last])
    elif kind == 2:
        *other, end = places[rng.integers(len(places))]
        node = manifest["model"]
        try:
            for step in other:
                node = node[step]
            parent[last] = copy.deepcopy(node[end])
        except (LookupError, TypeError):
            pass
    elif kind == 3 and last == "class":
        names = _class_names()
        parent[last] = names[rng.integers(len(names))]
    elif kind == 4 and isinstance(parent[last], list):
        parent[last] = parent[last] * 2 if rng.random() < 0.5 else parent[last][:-1]
    else:
        parent[last] = _strange_node(rng)
    used = repr(manifest)
    for name in [name for name in tensors if repr(name)[1:-1] not in used]:
        del tensors[name]  # else it would be refused for an array that nothing refers to
    manifest["answers"] = bool(rng.random() < 0.5)


def _strange_node(rng):
    number = WHOLE[rng.integers(len(WHOLE))]
    choices = [
        number, number, number, float(number), None, True, "", "a", "euclidean", [], [number],
        {"is": "tuple", "items": []}, {"is": "dict", "items": []},
        {"is": "float", "hex": "000000000000f87f"}, {"is": "float", "hex": "000000000000f07f"},
        {"is": "int", "hex": "f" * 40}, {"is": "scalar", "dtype": "<i8", "hex": "ffffffffffffff7f"},
        {"is": "objects", "shape": [1], "items": [number]}, 1e300, -1.5,
    ]  # fmt: skip
    return choices[rng.integers(len(choices))]


# ---------------------------------------------------------------------- models to begin with


@functools.cache
def _learners():
    """The test module that knows how to make every learner quickly."""
    spec = importlib.util.spec_from_file_location("every_learner", ROOT / "tests" / "test_every_learner.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def special() -> dict:
    """Models beyond the learners' defaults: other metrics, sparse rows, several targets, parts that are no learners."""
    from scipy.sparse import csr_matrix

    from assay.associations import ItemNeighbors, RatingAssociations, RatingFactors, UserNeighbors
    from assay.bayes import NaiveBayes
    from assay.densities import KernelDensity
    from assay.neighbors import KNeighborsClassifier, NearestNeighbors
    from assay.stats import Gaussian
    from assay.trees import CARTClassifier, DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.5)
    table, _ = _learners().frame("NaiveBayes")
    kinds = _learners().frame("NaiveBayes")[1]
    ratings = [(f"u{u}", f"i{i}", 1 + (u * i) % 5) for u in range(12) for i in range(8) if (u + i) % 3]
    several = np.column_stack([y, (X[:, 2] > 0).astype(int)])
    makers = {
        f"metric={m}": lambda m=m: (KNeighborsClassifier(metric=m).fit(X, y), X[:9])
        for m in ("mahalanobis", "seuclidean", "discriminant", "cosine", "canberra")
    }
    makers |= {
        f"mixed={m}": lambda m=m: (KNeighborsClassifier(metric=m).fit(table, kinds), table[:9])
        for m in ("gower", "vdm", "heom")
    }
    makers |= {
        "sparse rows": lambda: (NearestNeighbors().fit(csr_matrix(np.maximum(X, 0))), X[:9]),
        "several targets": lambda: (DecisionTreeClassifier().fit(X, several), X[:9]),
        "own densities": lambda: (NaiveBayes(families={"c0": Gaussian()}).fit(table, kinds), table[:9]),
        "density by metric": lambda: (KernelDensity(metric="canberra").fit(np.abs(X)), np.abs(X[:9])),
        "surrogates": lambda: (CARTClassifier(random_state=0).fit(table, kinds), table[:9]),
    }  # fmt: skip
    for cls in (ItemNeighbors, RatingAssociations, RatingFactors, UserNeighbors):
        makers[cls.__name__] = lambda cls=cls: (cls().fit(ratings), X[:1])
    return makers


def all_names() -> list[str]:
    """Every model that the attack begins with."""
    return [*_learners().LEARNERS, *special()]


def _saved(name: str, path: pathlib.Path):
    """Manifest and tensors of a fitted model, and rows to ask about."""
    import assay
    from assay.core.persistence import container

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tests = _learners()
        if name in tests.LEARNERS:
            X, y = tests.frame(name) if zlib.crc32(name.encode()) % 2 else tests.data(name)
            model, asked = tests.make(name).fit(X, y), X[:9]
        else:
            model, asked = special()[name]()
        assay.save(model, path)
        manifest, tensors = container.read(path)
        ask(assay.load(path), asked)  # what is imported on the way is imported now
    return manifest, tensors, asked


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="tries for each learner")
    parser.add_argument("--first", type=int, default=0, help="number of the first try")
    parser.add_argument("--learner", action="append", help="attack its files alone")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--told", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options.child, options.seed, options.told, options.seconds)
    seconds = 60.0 if options.seconds is None and options.count is None else options.seconds

    def tell(finding: Finding) -> None:
        print(f"{finding.learner}, try {finding.number}, seed {options.seed}: {finding.what}", flush=True)

    findings, outcomes = attack(seconds, options.count, options.seed, options.learner, options.first, tell)
    print(", ".join(f"{many} {ended}" for ended, many in sorted(outcomes.items())))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
