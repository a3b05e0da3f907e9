"""A page for every public name, links to it from the guides, and back.

The rooms say what is public (``__all__``). Before Sphinx reads the sources, this writes

- ``reference/<room>/<name>.md``: how it is imported, what it is called elsewhere, its documentation with all methods,
  the guides that mention it, and the examples of the gallery that use it;
- the table of names of each room, where its page says ``<!-- names -->``.

In the guides a name in backticks becomes a link to its page, once in each section. Names that two rooms share for two
different things are left as they are.
"""

from __future__ import annotations

import csv
import importlib
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import portraits
from learner_facts import glance, picture

from assay.learners import all_learners

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
PAGES = DOCS / "reference"
MARK = "<!-- names -->"
FENCE = re.compile(r"^(`{3,}|:{3,})")


@dataclass
class Entry:
    """A public name: the room whose page it has, the object, and where it is mentioned."""

    name: str
    room: str
    thing: Any
    guides: set[str] = field(default_factory=set)
    code: tuple[str, str] | None = (
        None  # where an example with it stands, and the example, if it has none itself
    )
    examples: set[str] = field(default_factory=set)
    terms: list[str] = field(default_factory=list)  # what its parameters are called elsewhere

    @property
    def page(self) -> str:
        return f"reference/{self.room}/{file_name(self.name)}"

    @property
    def kind(self) -> str:
        if inspect.isclass(self.thing):
            return "exception" if issubclass(self.thing, BaseException) else "class"
        return "function" if callable(self.thing) else "data"

    @property
    def sentence(self) -> str:
        """The first sentence of its documentation."""
        text = inspect.getdoc(self.thing) if self.kind != "data" else ""
        first = " ".join((text or "").split("\n\n")[0].split())
        return in_markdown(first).replace("|", "\\|")


def file_name(name: str) -> str:
    """A name of a file that no other differs from by capitals alone, which some systems do not tell apart."""
    return name if name == name.lower() else f"{name}_c" if name.lower() in LOWER else name


def in_markdown(sentence: str) -> str:
    """A sentence of a docstring for a table in Markdown: formulas between dollars, names in one pair of backticks."""
    sentence = re.sub(r":math:`([^`]*)`", r"$\1$", sentence)
    sentence = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", sentence)
    return re.sub(r"``([^`]*)``", r"`\1`", sentence)


LOWER: set[str] = set()


def rooms() -> list[str]:
    """The rooms and modules that have a page, as the registry lists them."""
    listed = (DOCS / "reference.md").read_text()
    return [name for name in re.findall(r"^reference/(\S+)$", listed, flags=re.MULTILINE) if name != "assay"]


def entries() -> dict[str, list[Entry]]:
    """The public names of each room; what several rooms list belongs to the one that defines it."""
    by_room: dict[str, list[Entry]] = {}
    listed = {room: importlib.import_module(f"assay.{room}") for room in rooms()}
    owners: dict[int, str] = {}
    for room, module in listed.items():
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            inside = getattr(thing, "__module__", "") or ""
            if id(thing) not in owners or f"{inside}.".startswith(f"assay.{room}."):
                owners[id(thing)] = room
    for room, module in listed.items():
        names = [n for n in getattr(module, "__all__", ()) if owners[id(getattr(module, n))] == room]
        by_room[room] = [Entry(name, room, getattr(module, name)) for name in sorted(names, key=str.lower)]
        LOWER.update(name for name in names if name == name.lower())
    return by_room


def unique_names(by_room: dict[str, list[Entry]]) -> dict[str, Entry]:
    """Names that mean one thing alone."""
    grouped = defaultdict(list)
    for listed in by_room.values():
        for entry in listed:
            grouped[entry.name].append(entry)
    return {name: same[0] for name, same in grouped.items() if len(same) == 1}


def peers() -> dict[str, list[tuple[str, str]]]:
    """What other libraries call a thing: (library, its name)."""
    from sklearn.utils import all_estimators

    known = defaultdict(list)
    for name, kind in all_estimators():
        known[name].append(("scikit-learn", f"{'.'.join(kind.__module__.split('.')[:2])}.{name}"))
    for row in rows_of("peers.tsv"):
        known[row["assay"]].append((row["library"], row["name"]))
    return known


def rows_of(table: str) -> list[dict[str, str]]:
    """The rows of a table of the documentation: its columns are separated by tabs."""
    with open(DOCS / table, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def translations() -> dict[str, list[str]]:
    """For each name what its parameters are called elsewhere, and what differs: lines of a list."""
    known = defaultdict(list)
    for row in rows_of("peers.tsv"):
        if row["note"]:
            known[row["assay"]].append(f"- {row['name']} ({row['library']}): {row['note']}.")
    return known


def search_words(elsewhere: list[tuple[str, str]]) -> list[str]:
    """By which words the search leads to a page at once: what other libraries call its subject."""
    words = []
    for library, names in elsewhere:
        for name in re.sub(r"\(.*?\)", "", names).split(", "):
            last = re.split(r"::" if library == "R" else r"\.(?=\w+$)", name.strip())[-1]
            words += [name.strip(), last] if library != "scikit-learn" else [last]
            if library == "Python":  # a package, and the class or function in it
                package, *inside = name.split()
                words += [package, *(word for word in inside if re.search(r"[A-Z_]", word))]
    return sorted({word for word in words if len(word) > 1})


def indexed(words: list[str]) -> list[str]:
    """The lines that make words main entries of the index, which the search prefers to all else."""
    return [f"```{{index}} {', '.join(f'! {word}' for word in words)}", "```", ""] if words else []


def advice() -> dict[str, list[str]]:
    """For each learner when to use it, and when something else."""
    return {
        row["learner"]: [
            "## When to use it",
            "",
            f"**For:** {row['use']}",
            "",
            f"**Rather not:** {row['not']}",
            "",
        ]
        for row in rows_of("uses.tsv")
    }


# ---------------------------------------------------------------------- mentions


def note_mentions(named: dict[str, Entry]) -> None:
    """Note for each name the guides and examples in which it occurs."""
    for guide in guides():
        for name in set(re.findall(r"`([A-Za-z_]\w*)`", (DOCS / f"{guide}.md").read_text())) & set(named):
            named[name].guides.add(guide)
    for example in sorted((ROOT / "gallery").rglob("plot_*.py")):
        text = example.read_text()
        imported = re.findall(
            r"^from assay[\w.]* import \(?([^)]*?)\)?$", text, flags=re.MULTILINE | re.DOTALL
        )
        for name in {n for part in imported for n in re.findall(r"\w+", part.split("\n\n")[0])} & set(named):
            named[name].examples.add(str(example.relative_to(ROOT / "gallery")))


def lend_examples(by_room: dict[str, list[Entry]]) -> None:
    """Names without an example of their own get one of another name or guide that has, makes or derives from them."""
    every = [entry for listed in by_room.values() for entry in listed if entry.kind in ("class", "function")]
    known = [(entry, block) for entry in every for block in examples_in(entry.thing)]
    having = {id(entry) for entry, _ in known}
    written = [(g, block) for g in guides() for block in fenced(g)]
    makers = made_by(every)
    for _ in range(2):  # the second time for what is part of a result
        for entry in [one for one in every if id(one) not in having]:
            word = re.compile(rf"\b{entry.name}\b")
            made = makers.get(entry.name, set())
            lent = [(e.page, e.name, block) for e, block in known if word.search(block)]
            lent = lent or [(e.page, e.name, block) for e, block in known if id(e) in made]
            lent = lent or [(g, title_of(g), block) for g, block in written if word.search(block)]
            lent = lent or [(e.page, e.name, block) for e, block in known if derives(e, entry)]
            if lent:
                page, title, block = min(lent, key=lambda one: len(one[2]))
                entry.code = f"From [{title}](/{page}.md):", block
                known.append((entry, block))
                having.add(id(entry))


def derives(entry: Entry, base: Entry) -> bool:
    """Whether one class derives from another."""
    return entry.kind == base.kind == "class" and issubclass(entry.thing, base.thing)


def examples_in(thing: Any) -> list[str]:
    """The examples of a docstring, of a class with those of its own methods and properties."""
    inner = [v for k, v in vars(thing).items() if k[0] != "_"] if inspect.isclass(thing) else []
    parts = [thing, *(v for v in inner if inspect.isroutine(v) or isinstance(v, property))]
    docs = [inspect.getdoc(part) or "" for part in parts]
    return [block for doc in docs for block in re.findall(r"^>>> .*(?:\n.+)*", doc, flags=re.MULTILINE)]


def fenced(guide: str) -> list[str]:
    """The examples of a guide."""
    text = (DOCS / f"{guide}.md").read_text()
    return [
        block.strip() for block in re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)
    ]


def made_by(every: list[Entry]) -> dict[str, set[int]]:
    """For each name the functions and classes that return it, or hold it as an attribute."""
    makers: dict[str, set[int]] = defaultdict(set)
    for entry in every:
        parts = [entry.thing]
        if inspect.isclass(entry.thing):
            inside = [getattr(v, "__func__", getattr(v, "fget", v)) for v in vars(entry.thing).values()]
            parts = [part for part in inside if inspect.isroutine(part)]
            held = " ".join(map(str, vars(entry.thing).get("__annotations__", {}).values()))
            for word in re.findall(r"\w+", held):
                makers[word].add(id(entry))
        for part in parts:
            for word in re.findall(r"\w+", str(getattr(part, "__annotations__", {}).get("return", ""))):
                if word != entry.name:
                    makers[word].add(id(entry))
    return makers


def guides() -> list[str]:
    """The pages that are written by hand, without those that list everything."""
    lists = {
        "index",
        "learners",
        "classes",
        "learning",
        "reference",
        "benchmarks",
        "bibliography",
        "drop_in",
        "changes",
    }
    pages = (str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md"))
    return sorted(
        page
        for page in pages
        if page not in lists and not page.startswith(("reference/", "_build", "gallery/"))
    )


def title_of(page: str) -> str:
    """The heading of a page."""
    return (DOCS / f"{page}.md").read_text().lstrip().split("\n")[0].removeprefix("# ").strip()


# ---------------------------------------------------------------------- pages


def page_of(
    entry: Entry, elsewhere: list[tuple[str, str]], short: str | None, about: list[str] | None = None
) -> str:
    """The text of a name's page; ``about`` are the lines that stand before its documentation."""
    lines = [
        f"# {entry.name}",
        "",
        *indexed([word for word in search_words(elsewhere) if word != entry.name]),
    ]
    lines += ["```python", f"from assay.{entry.room} import {entry.name}", "```", ""]
    facts = []
    if short:
        facts.append(f'In `compare` and at the command line it is called "{short}".')
    if elsewhere:
        facts.append("Elsewhere: " + ", ".join(f"{name} ({library})" for library, name in elsewhere) + ".")
    if facts:
        lines += [" ".join(facts), ""]
    lines += about or []
    if entry.terms:
        lines += ["## In other words", "", *entry.terms, ""]
    directive = {
        "class": "autoclass",
        "exception": "autoexception",
        "function": "autofunction",
        "data": "py:data",
    }
    lines += ["```{eval-rst}", f".. {directive[entry.kind]}:: assay.{entry.room}.{entry.name}"]
    if entry.kind == "data":
        lines += ["", f"   {contents(entry.thing)}"]
    if entry.kind == "class":
        lines += ["   :members:", "   :inherited-members:", "   :show-inheritance:"]
    lines += ["```", ""]
    if entry.code:
        lines += ["## Example", "", entry.code[0], "", "```python", entry.code[1], "```", ""]
    if entry.guides:
        links = ", ".join(f"[{title_of(g)}](/{g}.md)" for g in sorted(entry.guides))
        lines += ["## Guides", "", f"{links}.", ""]
    if entry.examples:
        lines += ["## Examples", "", "```{eval-rst}"]
        lines += [".. minigallery::", *(f"   ../gallery/{e}" for e in sorted(entry.examples)), "```", ""]
    return "\n".join(lines)


def contents(value: Any) -> str:
    """What a constant holds, in a line: the docstring of its type says nothing about it."""
    if isinstance(value, Mapping):
        return "A mapping with the keys " + ", ".join(f"``{key!r}``" for key in value) + "."
    if isinstance(value, (list, tuple, set, frozenset)):
        return "Holds " + ", ".join(f"``{one!r}``" for one in value) + "."
    return f"``{value!r}``"


def table_of(room: str, listed: list[Entry]) -> str:
    """The names of a room, classes first."""
    module = importlib.import_module(f"assay.{room}")
    lines = ["" if module.__doc__ is None else module.__doc__.strip(), ""]
    for heading, kinds in (
        ("Classes", ("class",)),
        ("Functions", ("function",)),
        ("Other", ("data", "exception")),
    ):
        some = [entry for entry in listed if entry.kind in kinds]
        if some:
            rows = [f"| [{e.name}](/{e.page}.md) | {e.sentence} |" for e in some]
            lines += [f"## {heading}", "", *stacked(["| name | what it is |", "|---|---|", *rows]), ""]
    lines += ["```{toctree}", ":hidden:", "", *(f"/{entry.page}" for entry in listed), "```", ""]
    return "\n".join(lines)


def facts_of_learners(
    by_room: dict[str, list[Entry]], pictures: dict[tuple[str, str], tuple[str, str]] | None = None
) -> dict[tuple[str, str], list[str]]:
    """For each learner, by room and name, a table of facts and a picture."""
    from sklearn.utils import all_estimators

    theirs = dict(all_estimators())
    listed = {(one.room, one.class_name): one for one in all_learners()}
    every = [entry for some in by_room.values() for entry in some]
    uses = Counter(example for entry in every for example in entry.examples)
    advised, named = advice(), unique_names(by_room)
    about = {}
    for entry in every:
        learner = listed.get((entry.room, entry.name))
        if learner is not None:
            facts = glance(learner, entry.thing, theirs.get(entry.name))
            facts += picture(entry.room, entry.name, entry.examples, uses, FIGURES, pictures or {})
            text = "\n".join(advised.get(entry.name, [])).replace(f"`{entry.name}`", entry.name)
            about[entry.room, entry.name] = facts + linked(text, named, entry.page).split("\n")
    return about


def short_names() -> dict[str, str]:
    """What `compare` calls a class."""
    return {entry.class_name: entry.name for entry in all_learners()}


def table_of_peers(library: str, named: dict[str, Entry]) -> str:
    """What a library has, and what it is called here."""
    rows = sorted(
        (theirs, ours)
        for ours, known in peers().items()
        for lib, theirs in known
        if lib == library and ours in named
    )
    notes = {
        (row["name"], row["assay"]): row["note"] for row in rows_of("peers.tsv") if row["library"] == library
    }
    told = any(notes.values())
    lines = [
        f"| {library} | here | what it is |{' in other words |' if told else ''}",
        "|---|---|---|" + "---|" * told,
    ]
    for theirs, ours in rows:
        note = f" {notes.get((theirs, ours), '')} |" if told else ""
        lines.append(f"| {theirs} | `{ours}` | {named[ours].sentence} |{note}")
    return "\n".join(stacked(lines)) + "\n"


def stacked(table: list[str]) -> list[str]:
    """A table whose cells stand below each other on narrow screens."""
    return [":::{div} stacked", "", *table, "", ":::"]


# ---------------------------------------------------------------------- the texts, chapter by chapter

TEXTS = {
    "C3": "Classification",
    "BC": "Basic classification",
    "DC": "Data classification",
    "LS": "Linear classification",
    "IML": "Introduction to machine learning",
}


def table_of_capabilities(named: dict[str, Entry]) -> str:
    """What each chapter of the texts describes, the classes and functions whose tests carry its id, and the figures."""
    tested = tested_names(named)
    often = Counter(name for names, _ in tested.values() for name in names)
    chapters: dict[tuple[str, str], list[str]] = {}
    with open(DOCS / "capabilities.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            text, number = row["id"].split("-")[:2]
            place = re.search(r"\d+\.\d+|LS-\d+", section_of(row))
            chapter = (
                f"chapter {number}" if text == "IML" else f"section {place[0]}" if place else "exercises"
            )
            names, figures = tested.get(row["id"], (set(), set()))
            if row["kind"] == "plot" and not figures:
                figures = drawn_with(names, named)
            links = ", ".join(f"[{n}](/{named[n].page}.md)" for n in most_telling(names, named, often))
            drawn = ", ".join(f"[{FIGURES[f][1]}](/gallery/{FIGURES[f][0]})" for f in sorted(figures))
            what = row["capability"].replace("|", "\\|")
            line = f"| {section_of(row)} | {what} | {links} | {drawn} |"
            chapters.setdefault((TEXTS[text], chapter), []).append(line)
    lines = []
    texts = list(TEXTS.values())
    chapters = dict(sorted(chapters.items(), key=lambda one: (texts.index(one[0][0]), in_order(one[0][1]))))
    for text in texts:
        parts = [chapter for one, chapter in chapters if one == text]
        links = ", ".join(f"[{part.split()[-1]}](#{slug(f'{text}, {part}')})" for part in parts)
        lines += [f"- {text}, {parts[0].split()[0]}s: {links}"]
    lines += [""]
    for (text, chapter), rows in chapters.items():
        table = ["| section | what | here | figures |", "|---|---|---|---|", *rows]
        lines += [f"### {text}, {chapter}", "", *stacked(table), ""]
    return "\n".join(lines)


def most_telling(names: set[str], named: dict[str, Entry], often: Counter[str]) -> list[str]:
    """The four names that occur with the fewest ids; no exceptions, and data only where there is nothing else."""
    some = [name for name in names if named[name].kind != "exception" and not name.endswith("Warning")]
    some = [name for name in some if not name.startswith(("load_", "make_"))] or some
    return sorted(some, key=lambda name: (often[name], name))[:4]


def in_order(chapter: str) -> list[int]:
    """Chapters and sections by their numbers, exercises last."""
    return [int(number) for number in re.findall(r"\d+", chapter)] or [10**6]


def slug(title: str) -> str:
    """The name of the place of a heading."""
    return re.sub(r"[^\w\s-]", "", title.lower()).replace(" ", "-")


def drawn_with(names: set[str], named: dict[str, Entry]) -> set[str]:
    """The scripts of the gallery that use the most telling of some names: a Display, or else what few scripts use."""
    telling = {name for name in names if name.endswith("Display")} or names
    scripts = [{Path(example).stem for example in named[name].examples} for name in telling]
    return set().union(*(some for some in scripts if len(some) <= 4))


def section_of(row: dict[str, str]) -> str:
    """The section of a row, without the name of the text."""
    return re.sub(r"^(C3|BC|DC|LS|IML)\s+", "", row["source section"])


def tested_names(named: dict[str, Entry]) -> dict[str, tuple[set[str], set[str]]]:
    """For each id the public names and the scripts of the gallery that occur in the tests which carry it.

    A test that names nothing public itself counts for what the helpers and constants of its module name,
    or else for what the module is called after.
    """
    known: dict[str, tuple[set[str], set[str]]] = defaultdict(lambda: (set(), set()))
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text()
        marked = [part for part in text.split("\n\n\n") if "\n@pytest.mark.capability" in f"\n{part}"]
        helpers = helpers_of(text, named) if marked else {}
        for part in marked:
            decorators, _, body = part.partition("\ndef ")
            names = names_in(body, named)
            if not names:
                called = set(re.findall(r"\w+", decorators + body)) & set(helpers)
                subject = path.stem.removeprefix("test_").replace("_", "")
                names = set().union(*(helpers[name] for name in called))
                names = names or {name for name in named if name.lower().startswith(subject)}
            figures = set(re.findall(r'draw\("(plot_\w+)\.py"\)', body)) & set(FIGURES)
            if not names and figures:
                names = {n for n, entry in named.items() if {Path(e).stem for e in entry.examples} & figures}
            elif not names:  # by private parts: what the module is about
                imported = re.findall(r"^from assay\.\w+ import \(?([^)\n]*)", text, flags=re.MULTILINE)
                names = {n for part in imported for n in re.findall(r"\w+", part) if n in named}
                names = {n for n in names if named[n].room == path.parts[-2]}
            for one in re.findall(r'"([A-Z0-9]+-[\d-]+)"', decorators):
                known[one][0].update(names)
                known[one][1].update(figures)
    return known


def helpers_of(text: str, named: dict[str, Entry]) -> dict[str, set[str]]:
    """The public names in each helper and constant of a module, and in those that it imports from other tests."""
    helpers: dict[str, set[str]] = {}
    for module in re.findall(r"^from (tests\.[\w.]+) import ", text, flags=re.MULTILINE):
        source = ROOT / (module.replace(".", "/") + ".py")
        if source.is_file():
            helpers.update(definitions(source.read_text(), named))
    return helpers | definitions(text, named)


def names_in(text: str, named: dict[str, Entry]) -> set[str]:
    """The public names in a piece of code; short words in small letters only where they are called."""
    words = {name for name in re.findall(r"\b[A-Za-z_]\w+\b", text) if len(name) > 4 or name[0].isupper()}
    return (words | set(re.findall(r"(?<![.\w])([a-z]\w{1,3})\(", text))) & set(named)


def definitions(text: str, named: dict[str, Entry]) -> dict[str, set[str]]:
    """The public names in each helper and constant of a module, those of what it uses itself included."""
    pieces = re.split(r"^(?=def |class |[A-Z]\w* = )", text, flags=re.MULTILINE)[1:]
    bodies = {
        re.split(r"\W", piece.removeprefix("def ").removeprefix("class "))[0]: piece for piece in pieces
    }
    made = {name: names_in(piece, named) for name, piece in bodies.items() if not name.startswith("test_")}
    for name in made:
        inner = set(re.findall(r"\w+", bodies[name])) & set(made) - {name}
        made[name] = made[name].union(*(names_in(bodies[other], named) for other in inner))
    return made


def _figures() -> dict[str, tuple[str, str]]:
    """The page and the title of each script of the gallery."""
    known = {}
    for path in sorted((ROOT / "gallery").rglob("plot_*.py")):
        title = path.read_text().split("\n")[1].strip()
        known[path.stem] = (f"{path.parent.name}/{path.stem}.rst", title.replace("|", "\\|"))
    return known


FIGURES = _figures()


def write_pages(app: Any) -> None:
    """All pages; those of names that are gone are removed, and those that are as they were left alone."""
    by_room = entries()
    app.assay_names = unique_names(by_room)
    app.assay_rooms = by_room
    note_mentions(app.assay_names)
    lend_examples(by_room)
    elsewhere, terms, short, made = peers(), translations(), short_names(), set()
    about = facts_of_learners(by_room, portraits.made(all_learners(), app.parallel))
    for listed in by_room.values():
        for entry in listed:
            path = DOCS / f"{entry.page}.md"
            known, called = elsewhere.get(entry.name, []), short.get(entry.name)
            entry.terms = terms.get(entry.name, [])
            text = page_of(entry, known, called, about.get((entry.room, entry.name)))
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)
            made.add(path)
    for path in PAGES.glob("*/*.md"):
        if path not in made:
            path.unlink()


# ---------------------------------------------------------------------- links


def link_names(app: Any, docname: str, source: list[str]) -> None:
    """Names in backticks as links to their pages, once in each section; the table of a room's names."""
    room = docname.removeprefix("reference/")
    if docname.startswith("from_"):
        source[0] = with_stacked_tables(source[0])
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, table_of(room, app.assay_rooms[room]))
    if "<!-- capabilities -->" in source[0]:
        source[0] = source[0].replace("<!-- capabilities -->", table_of_capabilities(app.assay_names))
    for library in re.findall(r"<!-- peers of (.+?) -->", source[0]):
        table = table_of_peers(library, app.assay_names)
        source[0] = source[0].replace(f"<!-- peers of {library} -->", table)
    if docname in app.assay_words:
        app.env.note_dependency(str(DOCS / "search.tsv"))
        title, _, text = source[0].lstrip().partition("\n")
        source[0] = "\n".join([title, "", *indexed(app.assay_words[docname]), text])
    if docname in LISTS:
        source[0] = lists_to_read(source[0], app.assay_names)
    if docname not in app.assay_guides:
        return
    source[0] = linked(source[0], app.assay_names, docname)


def linked(text: str, named: dict[str, Entry], docname: str) -> str:
    """The same Markdown with links."""
    lines, fence, seen = [], None, set()

    def link(match: re.Match[str]) -> str:
        name = match[1]
        if name not in named or name in seen:
            return match[0]
        seen.add(name)
        return f"[`{name}`](/{named[name].page}.md)"

    for line in text.split("\n"):
        mark = FENCE.match(line.lstrip())
        if mark and fence is None:
            fence = mark[1]
        elif mark and line.strip() == fence:
            fence = None
        elif fence is None and line.startswith("#"):
            seen = set()
        elif fence is None:
            line = re.sub(r"(?<![\[`])`([A-Za-z_]\w*)`(?![`\]])", link, line)
        lines.append(line)
    return "\n".join(lines)


LISTS = ("learners", "classes", "learning")  # written by the registry, to be read in the repository as well


def lists_to_read(text: str, named: dict[str, Entry]) -> str:
    """Lists of learners whose names lead to their pages instead of their files, and whose tables fit narrow screens."""
    text = re.sub(
        r"\[`(\w+)`\]\(\.\./src/[^)]*\)",
        lambda link: f"[`{link[1]}`](/{named[link[1]].page}.md)" if link[1] in named else link[0],
        text,
    )
    return with_stacked_tables(text)


def with_stacked_tables(text: str) -> str:
    """Tables of words, whose cells stand below each other on narrow screens; lines of examples are none."""
    return re.sub(
        r"^\|.*\n\|[-:| ]+\n(?:\|.*\n)*",
        lambda table: "\n".join(stacked(table[0].splitlines())) + "\n",
        text,
        flags=re.MULTILINE,
    )


def made_of_other_files(
    app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages with tables that are made of docstrings, names and notes: an incremental build reads them again."""
    pages = (str(path.relative_to(DOCS).with_suffix("")) for path in DOCS.rglob("*.md"))
    return [page for page in pages if page in env.all_docs and "<!-- " in (DOCS / f"{page}.md").read_text()]


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Names in docstrings ("See Also") that do not say their room."""
    from sphinx.util.nodes import make_refnode

    target = str(node.get("reftarget", "")).rpartition(".")[2]
    entry = app.assay_names.get(target)
    if node.get("refdomain") != "py" or entry is None:
        return None
    place = f"assay.{entry.room}.{entry.name}"
    return make_refnode(app.builder, node["refdoc"], entry.page, place, contnode, place)


def one_document(app: Any, doctree: Any) -> None:
    """Nodes of an ``eval-rst`` block belong to a document of its own, which holds the whole environment: gigabytes
    once each page is stored with it."""
    for node in doctree.findall():
        if getattr(node, "_document", None) not in (None, doctree):
            node.document = doctree


def names_beside(app: Any, pagename: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The names of a room, for the sidebar of their pages."""
    room = pagename.removeprefix("reference/").rpartition("/")[0]
    if pagename.startswith("reference/") and room in app.assay_rooms:
        context["room"], context["room_page"] = room, f"reference/{room}"
        context["room_names"] = [(entry.name, entry.page) for entry in app.assay_rooms[room]]


def remember_guides(app: Any) -> None:
    app.assay_words = {row["page"]: row["words"].split(", ") for row in rows_of("search.tsv")}
    app.assay_guides = set(guides()) | {"learners", "classes", "learning"}


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write_pages, priority=100)
    app.connect("builder-inited", remember_guides, priority=101)
    app.connect("source-read", link_names, priority=900)
    app.connect("env-get-outdated", made_of_other_files)
    app.connect("missing-reference", resolve)
    app.connect("doctree-read", one_document)
    app.connect("html-page-context", names_beside)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
