"""``python -m benchmarks.drop_in [word ...]``: scikit-learn's own tests, with the import changed.

Takes the test modules of the installed scikit-learn, makes temporary copies in which every class and function that
Assay has too is Assay's (all else stays scikit-learn's), runs them and prints, module by module, how many of the tests
that use something of ours pass. Tests that use nothing of ours are not run.

Words choose modules: those whose dotted name holds one of them (``linear_model.test_ridge``, ``naive_bayes``).

Not every failure is about behaviour. Two kinds are recognised: a test that passes once errors and warnings may use
other words (``match`` left out, their class kept) fails by wording; one that ends with a missing attribute whose name
begins with an underscore, of a class that we have, is private. ``drop_in_exceptions.tsv`` names the others: a kind, the
test, the reason.

    private    reaches for private attributes, private modules or internals of scikit-learn
    wording    the right kind of error or warning, in other words
    array api  asks for array libraries other than NumPy
    peer       fails with scikit-learn's own learners as well, in the same copy, or contradicts its documentation
    draw       asks for one of several equally right answers: that of one stream of random numbers (scikit-learn's own
               learner fails as well with another seed), or one of equal candidates
    wider      asks that something be refused, or overwritten, that Assay can do, or leaves as it is
    decision   we do otherwise, on purpose; the reason says why. These count as failures of behaviour

A test is named ``module::test`` (all its cases) or ``module::test[case]``; ``*`` and ``?`` stand for any letters,
square brackets for themselves. The share of behaviour is passed / (passed + failed), without the failures of the first
six kinds. A line of the table that no failure needs any more is reported.

Options: ``-n`` workers (2), ``-k`` a pytest expression, ``--list`` the modules, ``--show`` each failure with its last
line, ``--peer`` runs scikit-learn's own learners instead, ``--write`` puts the modules that ran into the table of
docs/drop_in.md (its other rows stay), ``--keep DIR`` leaves copies and outputs there.
"""

from __future__ import annotations

import argparse
import ast
import fnmatch
import functools
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field

import sklearn

import assay

ROOT = pathlib.Path(sklearn.__file__).parent
EXCEPTIONS = pathlib.Path(__file__).with_name("drop_in_exceptions.tsv")
PAGE = pathlib.Path(__file__).parents[1] / "docs" / "drop_in.md"
HEADING = "| tests of scikit-learn | run | passed | not about behaviour | behaviour failed | share |"
NOT_BEHAVIOUR = ("private", "wording", "array api", "peer", "draw", "wider")
KINDS = (*NOT_BEHAVIOUR, "decision")
SECONDS_PER_TEST = 300
WORDING = "passes with any wording of errors and warnings"
# Functions of ours that share a name and answer another question: a design and a metric (the error) in place of cv and
# scoring.
NAMESAKES = ("learning_curve",)
PUBLIC_INSIDE = ("feature_extraction.text",)  # public modules inside of others
# Modules about scikit-learn as a package (its files, its docstrings) and not about learners.
ABOUT_THE_PACKAGE = (
    "test_docstring",
    "test_check_build",
    "test_min_dependencies",
    "test_build",
    "test_public_functions",
)

PREAMBLE = '''
import types as _types

class _Swapped(_types.ModuleType):
    """A module of scikit-learn in which the names that Assay has are Assay's."""

    def __init__(self, module, names):
        super().__init__(module.__name__)
        self.__dict__["_swap"] = module, names

    def __getattr__(self, name):
        import importlib
        module, names = self.__dict__["_swap"]
        inside = {n.partition(".")[2]: room for n, room in names.items() if n.partition(".")[0] == name and "." in n}
        if inside:
            return _Swapped(getattr(module, name), inside)
        return getattr(importlib.import_module(names[name]), name) if name in names else getattr(module, name)

    def __setattr__(self, name, value):
        setattr(self.__dict__["_swap"][0], name, value)
'''


@dataclass
class Module:
    """One test module of scikit-learn and how its tests went."""

    name: str  # linear_model.test_ridge
    source: pathlib.Path
    text: str  # with our names in it
    concerned: set[str]  # the test functions that use something of ours
    passed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # test -> last line of the error
    broken: str = ""  # why the copy could not be collected


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.drop_in", description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("-n", type=int, default=2)
    parser.add_argument("-k", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    chosen = parser.parse_args(arguments)
    modules = [
        m for m in test_modules(chosen.peer) if not chosen.words or any(w in m.name for w in chosen.words)
    ]
    if chosen.list:
        print("\n".join(f"{m.name}  {len(m.concerned)} test functions" for m in modules))
        return
    exceptions = read_exceptions()
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for module in modules:
            run(module, chosen.keep or pathlib.Path(place), chosen.n, chosen.k)
            rows.append(counted(module, exceptions))
            print(line(module.name, rows[-1]), module.broken, flush=True)
            if chosen.show:
                for test, why in module.failed.items():
                    print(f"    {kind_of(module, test, exceptions):10} {test}\n{'':15}{why}")
    total = sum(rows, Counter())
    print(line("all", total))
    print("failures by kind:", ", ".join(f"{kind} {total[kind]}" for kind in (*KINDS, "behaviour")))
    if not chosen.k and not chosen.peer:
        for pattern in unneeded(modules, exceptions):
            print(f"no failure needs this line of {EXCEPTIONS.name} any more: {pattern}")
    if chosen.write and not chosen.k and not chosen.peer:
        measured = {m.name: table_row(c) for m, c in zip(modules, rows) if m.passed and not m.broken}
        PAGE.write_text(with_table(PAGE.read_text(), measured))


@functools.cache
def our_names() -> dict[str, str]:
    """The public names of Assay and the room that has each."""
    names: dict[str, str] = {}
    for room in pkgutil.iter_modules(assay.__path__):
        if not room.name.startswith("_"):
            for name in getattr(importlib.import_module(f"assay.{room.name}"), "__all__", ()):
                names.setdefault(name, f"assay.{room.name}")
    return names


def shared_names() -> dict[str, str]:
    """The names that scikit-learn makes public and Assay has too, and our room of each."""
    ours, shared = our_names(), {}
    for name in (*sklearn.__all__, *PUBLIC_INSIDE):
        try:
            module = importlib.import_module(f"sklearn.{name}")
        except ImportError:
            continue
        for public in getattr(module, "__all__", None) or vars(module):
            if (
                public in ours
                and public not in NAMESAKES
                and str(getattr(getattr(module, public), "__module__", "")).startswith("sklearn")
            ):
                shared[public] = ours[public]
    return shared


def test_modules(peer: bool) -> list[Module]:
    """All test modules of scikit-learn that use something of ours, by name."""
    shared, modules = shared_names(), []
    for source in sorted(ROOT.rglob("tests/test_*.py")):
        package = source.parent.parent.relative_to(ROOT).as_posix().replace("/", ".").strip(".")
        name = f"{package}.{source.stem}".lstrip(".")
        if any(word in name for word in ABOUT_THE_PACKAGE):
            continue
        original = source.read_text(encoding="utf-8")
        swap = Swap(shared, "sklearn." + ".".join(filter(None, [package, "tests"])))
        tree = swap.visit(ast.parse(original))
        concerned = tests_that_use(tree, swap.ours)
        if concerned:
            text = original if peer else swapped_text(original, swap.edits)
            modules.append(Module(name, source, text, concerned))
    return modules


class Swap(ast.NodeTransformer):
    """Finds the imports of names that we have, and how each statement reads with ours instead."""

    def __init__(self, shared: dict[str, str], package: str):
        self.shared, self.package = shared, package
        self.ours: set[str] = set()  # local names that are ours (or modules that hold ours)
        self.edits: list[tuple[ast.stmt, str]] = []

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        module = node.module or ""
        if node.level:
            parent = self.package.rsplit(".", node.level - 1)[0] if node.level > 1 else self.package
            module = f"{parent}.{module}".rstrip(".")
        if module.split(".")[0] != "sklearn":
            return node
        lines = []
        for alias in node.names:
            local = alias.asname or alias.name
            if alias.name in self.shared:
                lines.append(f"from {self.shared[alias.name]} import {alias.name} as {local}")
                self.ours.add(local)
                continue
            lines.append(f"from {module} import {alias.name}" + ("" if alias.name == "*" else f" as {local}"))
            if alias.name != "*":
                lines += self._swap_module(f"{module}.{alias.name}", local)
        self.edits.append((node, "; ".join(lines)))
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        lines = []
        for alias in node.names:
            lines.append(f"import {alias.name}" + (f" as {alias.asname}" if alias.asname else ""))
            if alias.name.split(".")[0] == "sklearn":
                local = alias.asname or alias.name.split(".")[0]
                lines += self._swap_module(alias.name if alias.asname else "sklearn", local)
        if len(lines) > len(node.names):
            self.edits.append((node, "; ".join(lines)))
        return node

    def _swap_module(self, name: str, local: str) -> list[str]:
        """If ``name`` is a module, the assignment that puts our names into its place."""
        try:
            module = importlib.import_module(name)
        except ImportError:
            return []
        own = {n: room for n, room in self.shared.items() if hasattr(module, n)}
        if name == "sklearn":
            for inner in sklearn.__all__:
                try:
                    public = importlib.import_module(f"sklearn.{inner}")
                except ImportError:
                    continue
                own |= {f"{inner}.{n}": room for n, room in self.shared.items() if hasattr(public, n)}
        if not own:
            return []
        self.ours.add(local)
        return [f"{local} = _Swapped({local}, {own!r})"]


def swapped_text(text: str, edits: list[tuple[ast.stmt, str]]) -> str:
    """The module with each edited statement replaced, on the same lines as before."""
    lines = text.splitlines()
    for node, statement in edits:
        indent = re.match(r"\s*", lines[node.lineno - 1])[0]
        height = node.end_lineno - node.lineno
        lines[node.lineno - 1 : node.end_lineno] = [indent + statement, *[""] * height]
    future = [i for i, content in enumerate(lines) if content.startswith("from __future__")]
    at = future[-1] + 1 if future else 0
    compressed = f"exec({PREAMBLE!r})"  # one line, so that line numbers stay those of scikit-learn's file
    lines[at : at + 1] = [f"{compressed}; {lines[at]}" if plain(lines[at]) else f"{compressed}\n{lines[at]}"]
    return "\n".join(lines) + "\n"


def plain(content: str) -> bool:
    return content.startswith(("import ", "from "))


def tests_that_use(tree: ast.Module, ours: set[str]) -> set[str]:
    """The test functions that name, themselves or through what they call, one of our names."""
    uses: dict[str, set[str]] = {}
    for statement in tree.body:
        names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name)}
        names |= {n.arg for n in ast.walk(statement) if isinstance(n, ast.arg)}  # fixtures
        names |= {
            a.asname or a.name for n in ast.walk(statement) if isinstance(n, ast.ImportFrom) for a in n.names
        }
        for defined in defined_names(statement):
            uses.setdefault(defined, set()).update(names)
    concerned = set(ours)
    while True:
        more = {name for name, names in uses.items() if name not in concerned and names & concerned}
        if not more:
            break
        concerned |= more
    return {name for name in concerned if name.startswith(("test_", "Test"))}


def defined_names(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(
        statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With | ast.If | ast.Try
    ):
        return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return []


CONFTEST = """
from sklearn.conftest import *
from sklearn.conftest import pytest_collection_modifyitems, pytest_configure, pytest_generate_tests
import os, pytest

@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item):
    if item.nodeid.split("::")[1].split("[")[0] not in CONCERNED:
        item.add_marker(pytest.mark.skip(reason="uses nothing of Assay"))

if os.environ.get("ANY_WORDS"):
    _raises, _warns = pytest.raises, pytest.warns
    pytest.raises = lambda *a, match=None, **k: _raises(*a, **k)
    pytest.warns = lambda *a, match=None, **k: _warns(*a, **k)
"""


def run(module: Module, place: pathlib.Path, workers: int, expression: str) -> None:
    """Run the copy and note how each test went; what failed runs again with any wording of errors accepted."""
    folder = place / module.name.replace(".", "_")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / module.source.name).write_text(module.text, encoding="utf-8")
    (folder / "conftest.py").write_text(f"CONCERNED = {sorted(module.concerned)!r}\n{CONFTEST}")
    options = ["-n", str(workers)] if workers > 1 else []
    results = outcomes(module, folder, [*options, *(["-k", expression] if expression else [])], {})
    module.passed = [test for test, why in results.items() if why is None]
    failures = {test: why for test, why in results.items() if why is not None}
    if not failures:
        return
    options = options if len(failures) > 10 else []
    again = outcomes(module, folder, options, {"ANY_WORDS": "1"}, list(failures))
    for test, why in failures.items():
        module.failed[test] = (again[test] or WORDING) if test in again else why


def outcomes(
    module: Module,
    folder: pathlib.Path,
    options: list[str],
    settings: dict[str, str],
    only: list[str] | None = None,
) -> dict[str, str | None]:
    """Each test that ran, and None or how it failed."""
    file, outcome = module.source.name, folder / "outcome.xml"
    outcome.unlink(missing_ok=True)
    chosen = folder / "chosen.txt"
    chosen.write_text("\n".join(f"{file}::{test}" for test in only) if only else file)
    command = [sys.executable, "-m", "pytest", f"@{chosen}", "-q", "-c", os.devnull, "--rootdir", str(folder)]
    command += [
        "-p",
        "no:cacheprovider",
        "--tb=native",
        f"--timeout={SECONDS_PER_TEST}",
        f"--junitxml={outcome}",
    ]
    environment = os.environ | {"MPLBACKEND": "agg", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"} | settings
    done = subprocess.run([*command, *options], cwd=folder, env=environment, capture_output=True, text=True)
    (folder / f"output{len(settings)}.txt").write_text(done.stdout + done.stderr)
    if not outcome.exists():
        module.broken = (done.stdout + done.stderr).strip().splitlines()[-1]
        return {}
    results: dict[str, str | None] = {}
    for case in ElementTree.parse(outcome).getroot().iter("testcase"):
        inside = case.get("classname", "").rpartition(module.source.stem)[2].strip(".")
        test = f"{inside}::{case.get('name')}" if inside else str(case.get("name"))
        trouble = next((e for e in case if e.tag in ("failure", "error")), None)
        if trouble is not None and test.endswith(module.source.stem):
            module.broken = last_line(trouble)
        elif trouble is not None:
            results[test] = last_line(trouble)
        elif case.find("skipped") is None:
            results[test] = None
    return results


def last_line(trouble: ElementTree.Element) -> str:
    """The place in the test, and the first line of what the error says."""
    text = trouble.text or ""
    places = re.findall(r'test_\w+\.py", line (\d+), in test', text)
    said = re.findall(r"^(\w[\w.]*(?:Error|Exception|Warning|Failed|Interrupt|Exit)\b.*)$", text, re.M)
    message = said[-1] if said else (trouble.get("message") or text.strip().splitlines()[-1:] or [""])
    message = message if isinstance(message, str) else message[0]
    return f"line {places[-1] if places else '?'}: {message.splitlines()[0][:240]}"


def read_exceptions() -> list[tuple[str, str, str]]:
    """(kind, test, reason) of each line of the table."""
    rows = []
    for number, content in enumerate(EXCEPTIONS.read_text().splitlines(), 1):
        if content and not content.startswith("#"):
            kind, test, reason = content.split("\t")
            if kind not in KINDS:
                raise ValueError(f"{EXCEPTIONS.name}, line {number}: kind {kind!r}, expected one of {KINDS}")
            rows.append((kind, test, reason))
    return rows


def matches(module: str, test: str, pattern: str) -> bool:
    escaped = pattern.replace("[", "[[]")
    name = f"{module}::{test}"
    return fnmatch.fnmatchcase(name, escaped) or fnmatch.fnmatchcase(name.split("[")[0], escaped)


def kind_of(module: Module, test: str, exceptions: list[tuple[str, str, str]]) -> str:
    """The kind of a failure: as the table says, else as it shows itself."""
    why = module.failed[test]
    for kind, pattern, _ in exceptions:
        if matches(module.name, test, pattern):
            return kind
    if why == WORDING:
        return "wording"
    missing = re.search(r"'(\w+)'(?: object)? has no attribute '_[a-zA-Z]|cannot import name '_[a-zA-Z]", why)
    return "private" if missing and (missing[1] is None or missing[1] in our_names()) else "behaviour"


def counted(module: Module, exceptions: list[tuple[str, str, str]]) -> Counter[str]:
    counts = Counter(kind_of(module, test, exceptions) for test in module.failed)
    counts["passed"], counts["failed"] = len(module.passed), len(module.failed)
    return counts


def share(counts: Counter[str]) -> float:
    wrong = counts["behaviour"] + counts["decision"]
    return 100.0 * counts["passed"] / max(counts["passed"] + wrong, 1)


def line(name: str, counts: Counter[str]) -> str:
    every = counts["passed"] + counts["failed"]
    return (
        f"{name:50} passed {counts['passed']:5} of {every:5}  "
        f"behaviour failed {counts['behaviour'] + counts['decision']:4}  share {share(counts):5.1f} %"
    )


def unneeded(modules: list[Module], exceptions: list[tuple[str, str, str]]) -> list[str]:
    ran = [m.name for m in modules if not m.broken]
    failures = [(m.name, test) for m in modules for test in m.failed]
    mine = [p for _, p, _ in exceptions if p.split("::")[0] in ran]
    return [p for p in mine if not any(matches(name, test, p) for name, test in failures)]


def table_row(counts: Counter[str]) -> tuple[int, int, int, int]:
    """Tests that ran, passed, failed for reasons other than behaviour, and failed in behaviour."""
    every, wrong = counts["passed"] + counts["failed"], counts["behaviour"] + counts["decision"]
    return every, counts["passed"], every - counts["passed"] - wrong, wrong


def with_table(page: str, measured: dict[str, tuple[int, int, int, int]]) -> str:
    """The page with these modules in its table, the others as they were, and the total of all."""
    before, _, rest = page.partition(HEADING + "\n")
    old = re.match(r"(?:\|.*\n)*", rest)[0]
    rows = {}
    for content in old.splitlines()[1:]:
        name, *numbers = [cell.strip() for cell in content.strip("|").split("|")]
        if not name.startswith("**"):
            rows[name] = tuple(int(number) for number in numbers[:4])
    rows |= measured
    total = tuple(sum(column) for column in zip(*rows.values()))
    lines = [HEADING, "|---|--:|--:|--:|--:|--:|"]
    for name, (every, passed, aside, wrong) in [*sorted(rows.items()), ("**all**", total)]:
        share = 100 * passed / max(passed + wrong, 1)
        lines.append(f"| {name} | {every} | {passed} | {aside} | {wrong} | {share:.1f} % |")
    return before + "\n".join(lines) + "\n" + rest[len(old) :]


if __name__ == "__main__":
    main()
