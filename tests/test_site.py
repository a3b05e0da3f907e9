"""The documentation without building it: what its pages hold, and the check of a built site."""

import csv
import importlib.util
import re
import sys
from pathlib import Path

import pytest

from assay.learners import all_learners

ROOT = Path(__file__).parents[1]


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages():
    sys.path.insert(0, str(ROOT / "docs" / "extensions"))
    yield loaded(ROOT / "docs" / "extensions" / "reference_pages.py")
    sys.path.remove(str(ROOT / "docs" / "extensions"))


@pytest.fixture(scope="module")
def by_room(pages):
    rooms = pages.entries()
    pages.note_mentions(pages.unique_names(rooms))
    pages.lend_examples(rooms)
    return rooms


def test_every_public_name_has_an_example(pages, by_room):
    documented = [e for listed in by_room.values() for e in listed if e.kind != "data"]
    assert len(documented) > 1000
    assert [f"{e.room}.{e.name}" for e in documented if not e.code and not pages.examples_in(e.thing)] == []


def test_every_capability_leads_to_a_name_and_every_figure_to_the_gallery(pages, by_room):
    named = pages.unique_names(by_room)
    tested = pages.tested_names(named)
    with open(ROOT / "docs" / "capabilities.tsv", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    plots = [row["id"] for row in rows if row["kind"] == "plot"]
    assert len(plots) > 60
    assert [i for i in plots if not (tested[i][1] or pages.drawn_with(tested[i][0], named))] == []
    assert [row["id"] for row in rows if not tested[row["id"]][0]] == [
        "BC-26"
    ]  # a diagram of arrows and words


def test_a_page_without_an_example_of_its_own_has_one_of_another(pages, by_room):
    (plan,) = [entry for entry in by_room["reinforcement"] if entry.name == "BeliefValue"]
    text = pages.page_of(plan, [("R", "pomdp")], None)
    assert "## Example" in text and ">>> problem = tiger()" in text and "pomdp (R)" in text


def test_the_page_of_a_learner_says_what_it_is_for(pages, by_room):
    about = pages.facts_of_learners(by_room)
    assert len(about) > 350 and all(lines[0] == "| at a glance | |" for lines in about.values())
    text = "\n".join(about["trees", "C45Classifier"])
    assert "| takes as it is | numbers, missing values, categories, sparse tables |" in text
    assert "optimum: greedy" in text and "on any table" in text
    text = "\n".join(about["svm", "SVC"])
    assert (
        "```{figure} /gallery/kernels/" in text
        and "up to 20,000 rows" in text
        and "| scikit-learn's class |" in text
    )
    (svc,) = [entry for entry in by_room["svm"] if entry.name == "SVC"]
    page = pages.page_of(svc, [], None, about["svm", "SVC"])
    assert page.index("at a glance") < page.index("autoclass")


def test_every_learner_has_a_word_on_when_to_use_it_and_when_not(pages, by_room):
    rows = pages.rows_of("uses.tsv")
    learners = sorted(learner.class_name for learner in all_learners())
    assert sorted(row["learner"] for row in rows) == learners
    assert [
        row["learner"] for row in rows if not (row["use"].endswith(".") and row["not"].endswith("."))
    ] == []
    named = pages.unique_names(by_room)
    meant = {
        (row["learner"], name)
        for row in rows
        for name in re.findall(r"`([A-Z]\w+)`", row["use"] + row["not"])
    }
    assert {(learner, name) for learner, name in meant if name not in named or name == learner} == set()
    text = "\n".join(pages.facts_of_learners(by_room)["trees", "C45Classifier"])
    assert "## When to use it" in text and "**Rather not:**" in text
    assert "[`RandomForestClassifier`](/reference/ensembles/RandomForestClassifier.md)" in text


def test_what_other_libraries_call_a_thing_leads_to_a_public_name(pages, by_room):
    named = pages.unique_names(by_room)
    rows = pages.rows_of("peers.tsv")
    assert {row["assay"] for row in rows} - set(named) == set()
    assert len({(row["assay"], row["library"], row["name"]) for row in rows}) == len(rows)
    table = pages.table_of_peers("Weka", named).split("\n")
    assert "| Weka | here | what it is | in other words |" in table
    assert any(line.startswith("| J48 | `C45Classifier` |") and "`confidence`" in line for line in table)
    (c45,) = [entry for entry in by_room["trees"] if entry.name == "C45Classifier"]
    c45.terms = pages.translations()["C45Classifier"]
    assert "## In other words" in pages.page_of(c45, [], None) and "- J48 (Weka): `-C` is" in c45.terms[0]


def test_lists_of_learners_lead_to_their_pages(pages, by_room):
    text = "| learner |\n|---|\n| [`SVC`](../src/assay/svm/svc/svc.py) |\n\nEnd."
    assert pages.lists_to_read(text, pages.unique_names(by_room)).split("\n") == [
        *(
            ":::{div} stacked",
            "",
            "| learner |",
            "|---|",
            "| [`SVC`](/reference/svm/SVC.md) |",
            "",
            ":::",
            "",
            "End.",
        )
    ]


def test_tables_of_words_are_stacked_and_examples_are_not(pages):
    example = "```\n>>> print(tree)\n|   x <= 1: a\n|   x > 1: b\n```\n\n"
    stacked = pages.with_stacked_tables(f"{example}| in Weka | here |\n|---|---|\n| a | b |\n| c | d |\n")
    assert stacked.startswith(f"{example}:::{{div}} stacked\n\n| in Weka") and stacked.count(":::{div}") == 1


def test_the_search_knows_what_others_call_a_thing_and_everyday_words(pages):
    words = pages.search_words(
        [("Weka", "SMO"), ("R", "e1071::svm, glm(family = binomial)"), ("Python", "hmmlearn.GaussianHMM")]
    )
    assert {"SMO", "svm", "e1071::svm", "glm", "GaussianHMM"} <= set(words)
    assert pages.search_words([("R", "t.test"), ("Python", "autorank plot")]) == [
        "autorank",
        "autorank plot",
        "t.test",
    ]
    assert pages.indexed(["J48", "RWeka::J48"])[0] == "```{index} ! J48, ! RWeka::J48"
    rows = pages.rows_of("search.tsv")
    assert [row["page"] for row in rows if not (ROOT / "docs" / f"{row['page']}.md").exists()] == []
    every = [word for row in rows for word in row["words"].split(", ")]
    assert len(every) > 150 and all(word.strip() == word != "" for word in every)


def test_sentences_of_docstrings_stand_in_tables_of_markdown(pages, by_room):
    assert pages.in_markdown(r"The :math:`\alpha` of :class:`~assay.linear.Lasso`, as ``alpha``.") == (
        r"The $\alpha$ of `assay.linear.Lasso`, as `alpha`."
    )
    sentences = [entry.sentence for listed in by_room.values() for entry in listed]
    assert [sentence for sentence in sentences if re.search(r":\w+:`|``", sentence)] == []


def test_differences_of_signatures():
    class Ours:
        def __init__(self, a=1, b="x", c=None): ...

    class Theirs:
        def __init__(self, a=2, b="x", d=0, e="deprecated"): ...

    facts = loaded(ROOT / "docs" / "extensions" / "learner_facts.py")
    assert (
        facts.differences(Ours, Theirs)
        == "also has `c`; does without `d`; other defaults: `a` is `1` (there `2`)"
    )
    assert facts.differences(Ours, Ours) == "the same parameters and defaults"


def test_a_learner_without_a_figure_has_a_portrait(tmp_path, monkeypatch):
    portraits = loaded(ROOT / "docs" / "extensions" / "portraits.py")
    facts = loaded(ROOT / "docs" / "extensions" / "learner_facts.py")
    monkeypatch.setattr(portraits, "PICTURES", tmp_path)
    wanted = {"GaussianNB", "Ridge", "KMeans", "KernelDensity", "PCA", "StandardScaler", "HardMarginSVC"}
    listed = [one for one in all_learners() if one.class_name in wanted]
    found = portraits.made(listed)
    assert {name for _, name in found} == wanted - {
        "StandardScaler",
        "HardMarginSVC",
    }  # no plane separates the rows
    assert found["bayes", "GaussianNB"][0] == "/reference/portraits/bayes-GaussianNB.png"
    assert (tmp_path / "bayes-GaussianNB.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "svm-HardMarginSVC.png").read_bytes() == b""
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert portraits.made(listed) == found
    assert {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before  # up to date
    lines = facts.picture("bayes", "GaussianNB", set(), {}, {}, found)
    assert lines[0] == "```{figure} /reference/portraits/bayes-GaussianNB.png"
    assert facts.picture("svm", "HardMarginSVC", set(), {}, {}, found) == []
    about = {"evidence/plot_power.py", "decisions/plot_error_and_reject.py"}
    figures = {Path(one).stem: (one.removesuffix(".py"), "Title") for one in about}
    assert "portraits" in facts.picture("bayes", "GaussianNB", about, {}, figures, found)[0]


def test_names_in_guides_become_links_outside_of_code(pages, by_room):
    named = pages.unique_names(by_room)
    linked = pages.linked("`SVC` and `SVC`, `nothing`\n```\n`SVC`\n```\n# Title `SVC`\n`SVC`", named, "page")
    assert linked.split("\n") == [
        "[`SVC`](/reference/svm/SVC.md) and `SVC`, `nothing`",
        "```",
        "`SVC`",
        "```",
        "# Title `SVC`",
        "[`SVC`](/reference/svm/SVC.md)",
    ]


GOOD = '<html><link rel="stylesheet" href="a.css"><h1 id="top">x</h1><a href="b.html#low">b</a><a href="https://x.org">x</a>'


@pytest.mark.parametrize(
    "page, words",
    [
        ("", None),
        ('<a href="c.html">', "c.html, which does not exist"),
        ('<a href="b.html#high">', "no place is called high"),
        ('<a href="../other.html">', "which is not in the site"),
        ('<img src="https://x.org/a.png">', "loads https://x.org/a.png from outside"),
        ('<script src="//x.org/a.js"></script>', "from outside"),
        ('<img src="data:image/png;base64,AA">', None),
        ('<link rel="preload" href="font.woff">', "loads font.woff, which does not exist"),
    ],
)
def test_the_check_of_a_site(tmp_path, page, words):
    check = loaded(ROOT / "tools" / "check_site.py").check
    (tmp_path / "a.css").write_text("a { background: url(data:image/png;base64,AA) }")
    (tmp_path / "index.html").write_text(GOOD + page)
    (tmp_path / "b.html").write_text('<p id="low">')
    wrong = check(tmp_path)
    assert len(wrong) == (words is not None) and (words is None or words in wrong[0])


def test_styles_load_nothing_from_outside_either(tmp_path):
    check = loaded(ROOT / "tools" / "check_site.py").check
    (tmp_path / "index.html").write_text("<p>")
    (tmp_path / "a.css").write_text(
        "@import 'https://x.org/b.css'; @font-face { src: url(https://x.org/f.woff) }"
    )
    assert len(check(tmp_path)) == 2
    assert "no pages" in check(tmp_path / "nothing")[0]
