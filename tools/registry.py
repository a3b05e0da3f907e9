"""Write down what the classes say of themselves, wherever a list of learners or rooms is needed.

Each learner has a ``card`` (:class:`assay.core.Card`); rooms are the packages in ``src/assay``. From these come

- ``src/assay/learners.json``: the short names behind ``compare`` and the command line, to be read without any import;
- the rooms in ``src/assay/__init__.py``, and ``__init__.pyi`` for type checkers;
- the tables in ``README.md``, ``docs/learners.md``, ``docs/classes.md`` and ``docs/learning.md``;
- ``docs/reference.md`` and the pages in ``docs/reference``;
- the list of model files in ``tests/data/models/README.md``.

``python tools/registry.py`` writes them, with ``--check`` it says which are out of date. In files that people write,
it writes between two lines that say so.
"""

import inspect
import json
import pathlib
import re
import sys
from collections import Counter
from importlib import import_module

from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClusterMixin,
    DensityMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "assay"
sys.path.insert(0, str(ROOT / "tools"))

from check_house import FLOORS  # noqa: E402

from assay.core.card import OPTIMA  # noqa: E402
from assay.learners import AROUND, TAKES  # noqa: E402

NO_ROOMS = ("cli",)  # packages that nobody imports
MODULES = (  # modules that users import from directly
    "core.parameters",
    "core.progress",
    "errors",
    "learners",
    "rulebase.measures",
    "tables.data",
    "tables.generators",
    "tables.readers",
)
BASES = {  # the first that fits
    "classifier": ClassifierMixin,
    "regressor": RegressorMixin,
    "outlier detector": OutlierMixin,
    "density": DensityMixin,
    "clusterer": ClusterMixin,
    "transformer": TransformerMixin,
    "other": object,
}
SEQUENCES = "sequence model"
PLURAL = {kind: f"{kind}s" for kind in (*BASES, SEQUENCES, "wrapper")} | {"density": "densities"}
SUITS = ("any", "numeric", "all numeric", "on request")


def rooms() -> list[str]:
    """The public packages, from the ground floor up."""
    there = {path.parent.name for path in SOURCE.glob("*/__init__.py")} - {*NO_ROOMS}
    order = [room for floor in reversed(FLOORS) for room in floor]
    return sorted(there, key=order.index)


def learner_classes() -> dict[type, str]:
    """Every public class with a card or of scikit-learn's kind, and its room."""
    found = {}
    for room in rooms():
        module = import_module(f"assay.{room}")
        for name in getattr(module, "__all__", ()):
            cls = getattr(module, name)
            if room == "core" or not isinstance(cls, type):
                continue
            if issubclass(cls, BaseEstimator) or "card" in vars(cls):
                found[cls] = room
    return found


def entry(cls: type, room: str) -> dict[str, object]:
    """What ``learners.json`` says of a learner."""
    parameters = inspect.signature(cls).parameters.values()
    needs = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    takes = [AROUND] if cls.card.wraps else getattr(cls, "takes", ())
    if isinstance(takes, property):
        takes = cls(**cls.card.settings).takes
    return {
        "name": cls.card.name,
        "summary": cls.card.summary,
        "also": list(cls.card.also),
        "suits": cls.card.suits,
        "scale": cls.card.scale,
        "most_rows": cls.card.most_rows,
        "most_columns": cls.card.most_columns,
        "room": room,
        "class_name": cls.__name__,
        "kind": kind_of(cls),
        "multiclass": getattr(cls, "multiclass", ""),
        "takes": sorted(takes),
        "needs": needs,
    }


def kind_of(cls: type) -> str:
    """The kind of a learner, one of ``assay.learners.KINDS``."""
    if cls.card.wraps:
        return "wrapper"
    if getattr(cls, "takes_sequences", False):
        return SEQUENCES
    return next(kind for kind, base in BASES.items() if issubclass(cls, base))


def entries() -> list[dict[str, object]]:
    """All learners: room by room, kind by kind, in the order of their names."""
    order = [*BASES, SEQUENCES, "wrapper"]
    made = [entry(cls, room) for cls, room in learner_classes().items()]
    return sorted(made, key=lambda e: (rooms().index(e["room"]), order.index(e["kind"]), e["name"]))


def complaints() -> list[str]:
    """What is wrong with the cards themselves."""
    from assay.learners import plain_name

    wrong, taken = [], {}
    for cls, room in learner_classes().items():
        who, card = f"{room}.{cls.__name__}", vars(cls).get("card")
        if card is None:
            wrong.append(
                f"{who} has no card: give its class one, such as card = Card('short name', 'what it does')"
            )
            continue
        if card.suits not in SUITS:
            wrong.append(f"{who}: its card suits {card.suits!r}; it must be one of {', '.join(SUITS)}")
        if card.learns is not None and card.learns.optimum not in OPTIMA:
            wrong.append(f"{who}: the optimum {card.learns.optimum!r} is none of {', '.join(OPTIMA)}")
        for name in sorted(set(card.settings) - set(inspect.signature(cls).parameters)):
            wrong.append(f"{who}: its card sets {name!r}, which is none of its parameters")
        for name in {plain_name(name) for name in (card.name, *card.also, cls.__name__)}:
            other = taken.setdefault((kind_of(cls), name), who)
            if other != who:
                wrong.append(f"{who}: the name {name!r} is taken by {other}")
    return wrong


def files() -> dict[str, str]:
    """Path to text of every file that is written whole or in part."""
    listed = entries()
    made = {
        "src/assay/learners.json": short_names(listed),
        "src/assay/__init__.py": between("src/assay/__init__.py", "rooms", room_list(), "#"),
        "src/assay/__init__.pyi": stub(),
        "README.md": between("README.md", "families", families(listed)),
        "docs/learners.md": between("docs/learners.md", "learners", learner_tables(listed)),
        "docs/classes.md": between("docs/classes.md", "classifiers", class_table(listed)),
        "docs/learning.md": between("docs/learning.md", "learning", learning_table(listed)),
        "docs/reference.md": between("docs/reference.md", "pages", reference_list()),
        "tests/data/models/README.md": between("tests/data/models/README.md", "files", model_files(listed)),
    }
    made |= {f"docs/reference/{name}.md": reference_page(name) for name in reference_pages()}
    return made


def between(path: str, name: str, text: str, comment: str = "<!--") -> str:
    """A file with new text between its two lines about ``name``."""
    end = " -->" if comment == "<!--" else ""
    first, last = (f"{comment} {word} {name} (tools/registry.py){end}" for word in ("begin", "end"))
    old = (ROOT / path).read_text(encoding="utf-8")
    if old.count(first) != 1 or old.count(last) != 1:
        raise SystemExit(f"{path} must have the lines {first!r} and {last!r}, once each.")
    head, _, rest = old.partition(first)
    return f"{head}{first}\n{text}{last}{rest.partition(last)[2]}"


def short_names(listed: list[dict[str, object]]) -> str:
    """One learner a line."""
    return "[\n" + ",\n".join(f"  {json.dumps(e)}" for e in listed) + "\n]\n"


def room_list() -> str:
    """The tuple of rooms, in the form that the formatter gives it."""
    return "_ROOMS = (\n" + "".join(f'    "{room}",\n' for room in sorted(rooms())) + ")\n"


def stub() -> str:
    """What type checkers and editors see of ``assay``, where rooms come when they are first used."""
    import assay

    lines = ['"""Written by tools/registry.py."""', ""]
    lines += [f"from assay import {room} as {room}" for room in sorted(rooms())]
    functions = sorted((place, name) for name, place in assay._FUNCTIONS.items())
    lines += [f"from assay.{place} import {name} as {name}" for place, name in functions]
    return "\n".join([*lines, "", "__version__: str", "_ROOMS: tuple[str, ...]", ""])


def families(listed: list[dict[str, object]]) -> str:
    """The rooms that have learners: what they are about, and how many of each kind there are."""
    lines = ["| room | about | learners |", "|---|---|---|"]
    for room in rooms():
        mine = [e for e in listed if e["room"] == room]
        if mine:
            link = f"[`assay.{room}`](docs/learners.md#{anchor(room)})"
            counts = Counter(str(e["kind"]) for e in mine)
            kinds = ", ".join(
                f"{count} {PLURAL[kind] if count > 1 else kind}" for kind, count in counts.items()
            )
            lines.append(f"| {link} | {about(room)} | {kinds} |")
    return "\n".join(lines) + "\n"


def learner_tables(listed: list[dict[str, object]]) -> str:
    """A table of learners for each room."""
    lines = []
    for room in rooms():
        mine = [e for e in listed if e["room"] == room]
        if not mine:
            continue
        lines += ["", f"## assay.{room}", "", f"{about(room)}.", ""]
        lines += ["| learner | short name | kind | what it does | takes as it is | learns from |"]
        lines += ["|---|---|---|---|---|---|"]
        for e in mine:
            cls = getattr(import_module(f"assay.{room}"), str(e["class_name"]))
            source = f"../src/{cls.__module__.replace('.', '/')}.py"
            names = ", ".join([f"**{e['name']}**", *e["also"]])
            takes = ", ".join(TAKES.get(word, word) for word in e["takes"])
            cells = (
                f"[`{e['class_name']}`]({source})",
                names,
                e["kind"],
                e["summary"],
                takes,
                learns_from(cls),
            )
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines[1:]) + "\n"


def learns_from(cls: type) -> str:
    """What else than a table in one piece a learner learns from."""
    if cls.card.wraps:
        return AROUND
    ways = {
        "weights": "sample_weight" in inspect.signature(cls.fit).parameters,
        "blocks": hasattr(cls, "fit_blocks"),
        "parts": hasattr(cls, "partial_fit"),
    }
    return ", ".join(word for word, can in ways.items() if can)


def anchor(room: str) -> str:
    """The heading of a room in ``docs/learners.md`` as a link has it."""
    return f"assay{room}"


def about(room: str) -> str:
    """The first sentence of a room's docstring."""
    sentence = (import_module(f"assay.{room}").__doc__ or "").splitlines()[0].removesuffix(".")
    return sentence.replace("``", "`")


def class_table(listed: list[dict[str, object]]) -> str:
    """How each classifier tells many classes apart."""
    lines = ["| classifier | many classes |", "|---|---|"]
    classifiers = sorted((e for e in listed if e["multiclass"]), key=lambda e: e["class_name"].lower())
    return "\n".join([*lines, *(f"| `{e['class_name']}` | {e['multiclass']} |" for e in classifiers)]) + "\n"


def learning_table(listed: list[dict[str, object]]) -> str:
    """The model, the loss and the optimiser of each classifier and regressor, room by room."""
    lines = ["| learner | model | loss | optimiser | optimum |", "|---|---|---|---|---|"]
    for e in listed:
        learns = getattr(import_module(f"assay.{e['room']}"), str(e["class_name"])).card.learns
        if learns is not None:
            lines.append(f"| `{e['class_name']}` | {' | '.join(learns)} |")
    return "\n".join(lines) + "\n"


def reference_pages() -> list[str]:
    """Rooms and modules with a page of their own."""
    return sorted([*rooms(), *MODULES])


def reference_list() -> str:
    """The table of contents of the reference."""
    return "\n".join(["```{toctree}", ":maxdepth: 1", "", "reference/assay",
                      *(f"reference/{name}" for name in reference_pages()), "```", ""])  # fmt: skip


def reference_page(name: str) -> str:
    """The page of a room or module; the documentation fills in its names, each with a page of its own."""
    return f"# assay.{name}\n\n<!-- names -->\n"


def model_files(listed: list[dict[str, object]]) -> str:
    """Which learner each model file holds, and which learners are in none."""
    from assay.core.persistence import container
    from assay.core.persistence.registry import FORMER_NAMES

    lines, held = ["| file | holds |", "|---|---|"], set()
    for path in sorted((ROOT / "tests" / "data" / "models").glob("*.assay")):
        manifest, _ = container.read_manifest(path)
        classes = re.findall(r'"class": "(\w+\.\w+)"', json.dumps(manifest["model"]))
        names = dict.fromkeys(FORMER_NAMES.get(name, name) for name in classes)
        learners = [name for name in names if name in {f"{e['room']}.{e['class_name']}" for e in listed}]
        held |= set(learners)
        lines.append(f"| {path.name} | {', '.join(f'`{name}`' for name in learners)} |")
    lines += [
        "",
        "Learners that no file holds; each is saved and loaded by `tests/test_every_learner.py` alone:",
        "",
    ]
    for room in rooms():
        mine = [str(e["class_name"]) for e in listed if e["room"] == room]
        none = [name for name in mine if f"{room}.{name}" not in held]
        if none:
            lines.append(f"- {room}: {', '.join(f'`{name}`' for name in sorted(none))}")
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    wrong = complaints()
    if wrong:
        print("\n".join(wrong))
        return 1
    made = files()
    stale = [path for path, text in made.items() if not same(ROOT / path, text)]
    extra = [
        str(path.relative_to(ROOT))
        for path in (ROOT / "docs" / "reference").glob("*.md")
        if path.name != "assay.md" and f"docs/reference/{path.name}" not in made
    ]
    if "--check" in arguments:
        out = [f"{path} is out of date; write it anew: make registry" for path in stale + extra]
        print("\n".join(out) or "The lists of learners and rooms are as the classes say.")
        return 1 if out else 0
    for path in stale:
        (ROOT / path).write_text(made[path], encoding="utf-8")
    for path in extra:
        (ROOT / path).unlink()
    print("\n".join(stale + extra) or "Nothing to write.")
    return 0


def same(path: pathlib.Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
