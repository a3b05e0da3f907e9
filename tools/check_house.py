"""House rules that no linter knows.

- Rooms import downwards only (design: a room knows the rooms below it and none above), and nothing private.
- Public functions, methods and classes have a docstring; public signatures carry types.
- A SciPy matrix is made of (data, indices, indptr) only where these are checked first: SciPy believes them, and one
  column number beyond the shape writes outside of what was allocated.
- No branch on the words of a message: errors, findings and results carry a class, a code and fields for that.
- A native function or record takes at most 12 arguments; more of them belong together in a record (assay/edge.hpp).
- Of the parameters of the public API (functions, constructors and public methods of what the rooms list) at most
  ``MOST_ANY`` are ``Any``; assay/types.py has names for what they take.
- No paths of a single machine.
- The field's words: no private dialect, no local name that carries grammar instead of content, no constant that does
  not say what it limits; estimators and statistical procedures end with ``See Also`` (names that exist) and
  ``References``.
"""

import ast
import pathlib
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator

sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parent)
)  # also when a test loads this file by its path
from bibliography import section

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "assay"

# From the top floor to the ground; rooms on one line do not know each other.
FLOORS = [
    ["cli"],
    ["report"],
    ["plots"],
    ["tuning"],
    ["experiments"],
    ["select"],
    ["evaluate"],
    ["metrics"],
    ["decide"],
    ["ensembles"],
    ["prepare"],
    ["svm"],
    ["rules", "outliers"],
    ["linear", "neighbors", "smoothers", "trees", "neural", "local"],
    ["cluster"],
    [
        "associations",
        "densities",
        "graphs",
        "sequences",
        "processes",
        "reinforcement",
        "mixture",
        "reduce",
    ],
    ["baselines", "bayes"],
    ["kernels"],
    ["distances"],
    ["theory"],
    ["text"],
    ["stats"],
    ["optimize"],
    ["rulebase"],
    ["core"],
    ["tables"],
    ["learners"],
    ["threads"],
    ["errors", "sentence", "system", "types"],
]
FLOOR = {room: height for height, rooms in enumerate(reversed(FLOORS)) for room in rooms}

COMPRESSED = {"csr_array", "csr_matrix", "csc_array", "csc_matrix", "bsr_array", "bsr_matrix"}
MAKES_MATRICES = {
    "src/assay/core/csr.py",  # the checked way
    "src/assay/tables/readers/libsvm.py",  # below core; counts and numbers the columns itself
}

# What looks for words in a text, and the attributes that hold sentences for people.
LOOKS_FOR_WORDS = {
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "find",
    "index",
    "partition",
    "split",
}
SENTENCES = {"message", "sentence", "fact", "failure", "partial", "remedy", "what", "why", "test"}

DIALECT = re.compile(
    r"\b(holes?|holey|by lot|rows that teach|taught|surest|telltales?|giveaways?|told|"
    r"(IML|DC|BC|C3),? ([a-zA-Z]+\.? )?\d+[-.]\d+)\b"
)
NAMES = {"found", "said", "own", "there", "seen", "rest", "told", "one", "given"}
CONDITIONED = {
    "graphs",
    "sequences",
    "reinforcement",
}  # rooms where a probability of something is given something
CONSTANTS = {
    "MANY",
    "FEW",
    "MOST",
    "SMALL",
    "LARGE",
    "FAR",
    "SOME",
    "WIDE",
    "NARROW",
    "LEAST",
    "NEARLY",
    "WELL",
    "NOTHING",
}
PROCEDURES = [
    f"stats/{part}/" for part in ("significance", "intervals", "effects")
]  # functions that cite their source
BASES = {"BaseEstimator", "Learner"}

MOST_NATIVE_ARGUMENTS = 12
MOST_ANY = 0.06

FOREIGN = re.compile(r"(/home/\w+/|/Users/\w+/|/root/\w+|[A-Z]:\\Users\\)")  # paths of somebody's machine


def main() -> int:
    complaints: list[str] = []
    modules = {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}
    house = House(modules)
    for path, tree in modules.items():
        where = path.relative_to(ROOT)
        complaints += import_direction(path, tree, where)
        complaints += public_things(path, tree, where)
        complaints += bare_matrices(tree, where)
        complaints += branches_on_words(tree, where)
        complaints += [f"{where}:{line}: {text}" for line, text in plain_words(path, tree)]
        complaints += [f"{where}:{line}: {text}" for line, text in house.cited(path, tree)]
    for path in sorted(SOURCE.rglob("_[!_]*.pyi")):
        complaints += long_native_calls(ast.parse(path.read_text()), path.relative_to(ROOT))
    complaints += house.untyped()
    complaints += foreign_words()
    print("\n".join(complaints) or "The house is in order.")
    return 1 if complaints else 0


def room_of(path: pathlib.Path) -> str:
    parts = path.relative_to(SOURCE).parts
    return parts[0] if len(parts) > 1 else parts[0].removesuffix(".py")


def import_direction(path: pathlib.Path, tree: ast.Module, where: pathlib.Path) -> list[str]:
    here = room_of(path)
    if here in ("__init__", "__main__"):
        return []
    if here not in FLOOR:
        return [f"{where}: room {here!r} has no floor; add it to tools/check_house.py"]
    complaints = []
    for node in ast.walk(tree):
        names, imported = [], []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names, imported = [node.module], [alias.name for alias in node.names]
            if node.module == "assay":
                names = [f"assay.{alias.name}" for alias in node.names if alias.name in FLOOR]
        for name in names:
            if not name.startswith("assay."):
                continue
            there = name.split(".")[1]
            if there != here and FLOOR.get(there, 99) >= FLOOR[here]:
                complaints.append(f"{where}:{node.lineno}: {here} may not import {there}")
            private = [part for part in (*name.split("."), *imported) if part.startswith("_")]
            if there != here and private:
                complaints.append(f"{where}:{node.lineno}: {private[0]} is private to {there}")
    return complaints


def public_things(path: pathlib.Path, tree: ast.Module, where: pathlib.Path) -> list[str]:
    complaints = []
    if not ast.get_docstring(tree):
        complaints.append(f"{where}:1: the module has no docstring")
    if path.name.startswith("_") and path.name != "__init__.py":
        return complaints
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                complaints.append(f"{where}:{node.lineno}: {node.name} has no docstring")
            members = [m for m in node.body if isinstance(m, ast.FunctionDef)]
            for member in members:
                if not member.name.startswith("_") or member.name == "__init__":
                    complaints += signature(member, where, method=True)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            if not ast.get_docstring(node):
                complaints.append(f"{where}:{node.lineno}: {node.name} has no docstring")
            complaints += signature(node, where, method=False)
    return complaints


def bare_matrices(tree: ast.Module, where: pathlib.Path) -> list[str]:
    """Calls such as csr_matrix((data, indices, indptr), ...)."""
    if where.as_posix() in MAKES_MATRICES:
        return []
    complaints = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name in COMPRESSED and isinstance(node.args[0], ast.Tuple) and len(node.args[0].elts) == 3:
            complaints.append(f"{where}:{node.lineno}: {name} of bare arrays; use core.csr.compressed_matrix")
    return complaints


def long_native_calls(tree: ast.Module, where: pathlib.Path) -> list[str]:
    """Native functions, methods and records of too many arguments, by the stubs that the build's modules gave."""
    complaints = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            count = len([name for name in names if name != "self"])
            if count > MOST_NATIVE_ARGUMENTS:
                complaints.append(
                    f"{where}:{node.lineno}: {node.name} takes {count} arguments, at most "
                    f"{MOST_NATIVE_ARGUMENTS} are allowed; put those that belong together into a record"
                )
    return complaints


def branches_on_words(tree: ast.Module, where: pathlib.Path) -> list[str]:
    """Code that looks for words in an error's text, or in the sentence of a finding or a result.

    ``" ".join(str(error).split())`` and the like only change how a text is laid out: split without a word is fine.
    """
    caught = {n.name for n in ast.walk(tree) if isinstance(n, ast.ExceptHandler) and n.name}

    def is_message(node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "str" and node.args:
            return isinstance(node.args[0], ast.Name) and node.args[0].id in caught
        if isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Attribute) and node.attr == "args":
            return isinstance(node.value, ast.Name) and node.value.id in caught
        return isinstance(node, ast.Attribute) and node.attr in SENTENCES

    def looks(node: ast.AST) -> bool:
        if isinstance(node, ast.Compare):
            texts = [n for op, n in zip(node.ops, node.comparators) if isinstance(op, (ast.In, ast.NotIn))]
            quoted = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
            return quoted and any(map(is_message, texts))
        if not isinstance(node, ast.Call) or not node.args or not isinstance(node.func, ast.Attribute):
            return False
        owner = node.func.value
        if getattr(owner, "id", "") == "re":
            return any(map(is_message, node.args))
        quoted = not isinstance(node.args[0], ast.Tuple)  # a tuple of stops: how a sentence ends
        return node.func.attr in LOOKS_FOR_WORDS and quoted and is_message(owner)

    return [
        f"{where}:{node.lineno}: looks for words in a message; ask for the error's class, code or fields"
        for node in ast.walk(tree)
        if looks(node)
    ]


def plain_words(path: pathlib.Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Words of the dialect, and names that do not say what they hold."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if (word := DIALECT.search(line)) and "in model files of earlier versions" not in line:
            yield number, f"{word[0]!r} is not the field's word"
    for node in ast.walk(tree):
        name = node.arg if isinstance(node, ast.arg) else ""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        if name in NAMES and not (name == "given" and room_of(path) in CONDITIONED):
            yield node.lineno, f"{name!r} does not say what it holds"  # type: ignore[attr-defined]
        if name.lstrip("_") in CONSTANTS:
            yield node.lineno, f"{name!r} does not say what it limits"  # type: ignore[attr-defined]


class House:
    """What is defined where: bases of classes, names that exist, names that rooms list."""

    def __init__(self, modules: dict[pathlib.Path, ast.Module]):
        self.bases: dict[str, set[str]] = defaultdict(set)
        self.listed: dict[str, set[object]] = {}
        self.defined: dict[tuple[str, str], list[ast.ClassDef | ast.FunctionDef]] = defaultdict(list)
        for path, tree in modules.items():
            for node in tree.body:
                if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                    self.defined[room_of(path), node.name].append(node)
                if isinstance(node, ast.ClassDef):
                    self.bases[node.name] |= {ast.unparse(base).split(".")[-1] for base in node.bases}
                elif isinstance(node, ast.FunctionDef):
                    self.bases[node.name] |= set()
                elif path.name == "__init__.py" and ast.unparse(node).startswith("__all__ = "):
                    names = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
                    self.listed.setdefault(room_of(path), set()).update(names)

    def untyped(self) -> list[str]:
        """A complaint if too many parameters of the public API are Any."""
        annotations = [a for node in self.public() for a in annotations_of(node)]
        share = sum(map(is_any, annotations)) / len(annotations)
        if share <= MOST_ANY:
            return []
        return [
            f"src/assay: {share:.1%} of the {len(annotations)} public parameters are Any, at most {MOST_ANY:.0%} "
            "may be; assay/types.py has names"
        ]

    def public(self) -> list[ast.ClassDef | ast.FunctionDef]:
        """What the rooms list, and the classes of ours that these derive from, each once."""
        waiting = [(room, str(name)) for room, names in self.listed.items() for name in names]
        public: dict[int, ast.ClassDef | ast.FunctionDef] = {}
        while waiting:
            room, name = waiting.pop()
            homes = [room] if (room, name) in self.defined else [r for r, n in self.defined if n == name]
            for home in homes:
                for node in self.defined[home, name]:
                    if id(node) not in public and isinstance(node, ast.ClassDef):
                        bases = (ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases)
                        waiting += [(home, base) for base in bases]
                    public[id(node)] = node
        return list(public.values())

    def is_estimator(self, name: str) -> bool:
        bases, new = set(), {name}
        while new:
            bases |= new
            new = set().union(*(self.bases.get(base, set()) for base in new)) - bases
        return bool(bases & BASES)

    def cited(self, path: pathlib.Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
        """Estimators and procedures without References and See Also, and relatives that do not exist."""
        procedures = any(part in path.as_posix() for part in PROCEDURES)
        for node in tree.body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                continue
            listed = node.name in self.listed.get(room_of(path), ())
            due = self.is_estimator(node.name) if isinstance(node, ast.ClassDef) else procedures
            due = due and room_of(path) != "core"  # bases are no methods that somebody published
            docstring = ast.get_docstring(node) or ""
            related = section(docstring, "See Also")
            for title in ("See Also", "References"):
                if listed and due and not section(docstring, title):
                    yield node.lineno, f"{node.name} has no section {title!r}"
            for name in filter(None, re.split(r"[,\s]+", " ".join(line.split(" : ")[0] for line in related))):
                if name.split(".")[-1] not in self.bases:
                    yield node.lineno, f"{node.name}: See Also names {name}, which does not exist"


def signature(node: ast.FunctionDef, where: pathlib.Path, method: bool) -> list[str]:
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)
    bare = [a.arg for a in arguments[1 if method and not static else 0 :] if a.annotation is None]
    if node.returns is None and node.name != "__init__":
        bare.append("the result")
    return [f"{where}:{node.lineno}: {node.name} lacks a type for {', '.join(bare)}"] if bare else []


def annotations_of(node: ast.ClassDef | ast.FunctionDef) -> Iterator[ast.expr | None]:
    """What the parameters of a function, or of a class's constructor and public methods, are said to be."""
    if isinstance(node, ast.FunctionDef):
        yield from (a.annotation for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
        return
    record = any("dataclass" in ast.unparse(d) for d in node.decorator_list)
    for member in node.body:
        if isinstance(member, ast.FunctionDef):
            if not member.name.startswith("_") or member.name in ("__init__", "__call__"):
                bound = not any(ast.unparse(d) == "staticmethod" for d in member.decorator_list)
                yield from list(annotations_of(member))[bound:]
        elif record and isinstance(member, ast.AnnAssign):
            field = not ast.unparse(member.target).startswith("_")
            if field and "ClassVar" not in ast.unparse(member.annotation):
                yield member.annotation


def is_any(annotation: ast.expr | None) -> bool:
    """Whether a parameter may be anything: Any, or Any among alternatives."""
    if isinstance(annotation, ast.BinOp):
        return is_any(annotation.left) or is_any(annotation.right)
    return annotation is None or ast.unparse(annotation) == "Any"


def foreign_words() -> list[str]:
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    complaints = []
    for name in filter(None, tracked.stdout.split("\0")):
        path = ROOT / name
        if (
            path.suffix in {".safetensors", ".assay", ".png", ".parquet"}
            or path == pathlib.Path(__file__).resolve()
        ):
            continue
        try:
            text = path.read_text()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if FOREIGN.search(line):
                complaints.append(f"{name}:{number}: {line.strip()[:90]}")
    return complaints


if __name__ == "__main__":
    sys.exit(main())
