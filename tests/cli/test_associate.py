"""assay associate: from a file of baskets to rules, on the screen and in files."""

import csv
import json

import pytest

EXERCISE = [
    ["milk", "bananas", "chocolate"],
    ["milk", "chocolate"],
    ["milk", "bananas"],
    ["chocolate"],
    ["chocolate"],
    ["milk", "chocolate"],
]


@pytest.fixture
def long(tmp_path):
    path = tmp_path / "bills.csv"
    path.write_text("bill,what\n" + "".join(f"{b},{i}\n" for b, one in enumerate(EXERCISE, 1) for i in one))
    return path


@pytest.mark.capability("IML-3-09")
def test_rules_of_a_long_table(run, long):
    code, out, err = run("associate", long, "--basket", "bill", "--item", "what", "-s", 0.3, "-c", 0.5)
    assert code == 0, err
    lines = out.splitlines()
    assert lines[0] == "6 baskets of 3 items: 5 frequent sets, 4 rules"
    assert lines[1].split() == ["support", "confidence", "lift", "rule"]
    assert lines[2].split() == ["0.3333", "1", "1.5", "bananas", "->", "milk"]
    assert lines[3].split() == ["0.5", "0.75", "0.9", "milk", "->", "chocolate"]


def test_wide_tables_of_both_forms_give_the_same(run, long, tmp_path):
    items = ["bananas", "chocolate", "milk"]
    flags = tmp_path / "flags.csv"
    flags.write_text(
        ",".join(items) + "\n" + "".join(",".join(str(int(i in b)) for i in items) + "\n" for b in EXERCISE)
    )
    slots = tmp_path / "slots.csv"
    slots.write_text("a,b,c\n" + "".join(",".join([*b, "", ""][:3]) + "\n" for b in EXERCISE))
    wanted = run("associate", long, "--basket", "bill", "--item", "what", "-s", 0.3)[1]
    for path in (flags, slots):
        code, out, err = run("associate", path, "-s", 0.3)
        assert code == 0, err
        assert out == wanted


def test_sentences_sorting_and_restrictions(run, long):
    base = ("associate", long, "--basket", "bill", "--item", "what", "-s", 0.3, "-c", 0.1)
    _, out, _ = run(*base, "--words", "--top", 1)
    assert "100 per cent of customers who buy bananas also buy milk" in out
    assert "... and 3 more" in out
    _, out, _ = run(*base, "--sort", "leverage", "--then", "milk")
    assert out.splitlines()[0].endswith("2 rules")
    assert out.splitlines()[1].split() == ["support", "confidence", "lift", "leverage", "rule"]
    _, out, _ = run(*base, "--min-lift", 1.2)
    assert "2 rules" in out and "chocolate" not in out
    _, out, _ = run(*base, "--significant")
    assert "0 rules, 4 rules left out" in out
    assert run(*base, "--productive")[1] == out
    _, out, _ = run(
        "associate", long, "--basket", "bill", "--item", "what", "-s", 0.1, "-c", 0.1, "--irredundant"
    )
    assert "left out" in out


def test_files_of_three_kinds(run, long, tmp_path):
    base = ("associate", long, "--basket", "bill", "--item", "what", "-s", 0.3)
    table, data, page = (tmp_path / f"rules.{kind}" for kind in ("csv", "json", "html"))
    for path in (table, data, page):
        code, out, err = run(*base, "-o", path)
        assert code == 0 and f"All rules are in {path}." in out, err
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    assert (
        len(rows) == 4 and rows[0]["antecedent"] == "bananas" and float(rows[0]["lift"]) == pytest.approx(1.5)
    )
    rules = json.loads(data.read_text())
    assert rules["n"] == 6 and len(rules["rules"]) == 4 and rules["rules"][0]["consequent"] == ["milk"]
    assert "<td>bananas</td>" in page.read_text()


def test_rows_of_attributes_and_built_in_data(run):
    code, out, err = run("associate", "weather", "--attributes", "--cuts", 2, "-s", 0.2, "-c", 0.9, "--words")
    assert code == 0, err
    assert "100 per cent of rows that have outlook = 'overcast' also have play = 'yes'" in out
    code, out, err = run("associate", "transactions", "-s", 0.3)
    assert code == 0 and "bananas -> milk" in out, err
    code, out, err = run("associate", "weather")
    assert code == 2 and "add --attributes" in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--basket", "bill"), "needs both, --basket and --item"),
        (("--basket", "bill", "--item", "nothing"), "there is no column 'nothing'"),
        (("--sort", "lifft"), "Did you mean lift?"),
        (("-o", "rules.txt"), "should end in .csv, .json or .html"),
        (("-o", "no/such/rules.csv"), "there is no folder"),
        (("--cuts", 3), "--cuts goes with --attributes"),
        (("--basket", "bill", "--item", "what", "--form", "slots"), "which have no --basket"),
        (("--basket", "bill", "--item", "what", "--then", "beer"), "there is no item 'beer'"),
        (("-s", 0), "--min-support"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(run, long, options, said):
    code, out, err = run("associate", long, *options)
    assert code == 2 and said in err and out == ""


def test_a_file_that_is_not_there(run):
    code, _, err = run("associate", "nothing.csv")
    assert code == 2 and "There is no file nothing.csv" in err


def test_errors_advise_in_options(run, long, tmp_path):
    code, _, said = run("associate", long)
    assert code and "needs --basket and --item, a table of attributes --attributes." in said
    assert "from_table" not in said
    code, _, said = run("associate", "german_credit", "--attributes")
    assert code and said.rstrip().endswith("Discretise them: --cuts 4.")
    code, _, said = run("associate", "german_credit", "--attributes", "--cuts", 4, "-s", 0.0001)
    assert code and "at a support of 0.0001" in said and "Raise --min-support, or set --max-size." in said
    assert "kind=" not in said and " min_support" not in said
    (tmp_path / "empty.csv").write_text("bill,what\n")
    code, _, said = run("associate", tmp_path / "empty.csv")
    assert code and "names columns but has no rows" in said


def test_flags_beside_a_column_of_names(run, tmp_path):
    """The form of Weka's supermarket: t or missing, and a total of several values."""
    path = tmp_path / "market.arff"
    path.write_text(
        "@relation market\n@attribute bread {t}\n@attribute tea {t}\n@attribute total {low,high}\n@data\n"
        + "t,?,low\n" * 3 + "t,t,high\n" * 4 + "?,t,low\n"
    )  # fmt: skip
    code, out, err = run("associate", path, "-s", 0.3, "-c", 0.9)
    assert code == 0, err
    assert "total = 'high' -> bread, tea" in out and "bread = " not in out
    assert err.startswith(
        "Note: read as mixed: flags for items, and other columns with items COLUMN = VALUE."
    )
    assert "--form flags, slots, attributes, lines" in err


def test_a_table_of_names_has_attributes_as_items(run, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("crime,tax,party\n" + "y,n,left\n" * 5 + "n,y,right\n" * 4 + "y,y,right\n")
    code, out, err = run("associate", path, "-s", 0.3, "-c", 0.9)
    assert code == 0 and "tax = 'n' -> crime = 'y', party = 'left'" in out, err
    assert err.startswith("Note: read as attributes")
    assert run("associate", path, "-s", 0.3, "-c", 0.9, "--form", "attributes")[2] == ""
    code, out, _ = run("associate", path, "-s", 0.3, "-c", 0.9, "--form", "mixed")
    assert code == 0 and "party = 'left' -> crime" in out


def test_basket_lines(run, tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text("".join(",".join(one) + "\n" for one in EXERCISE))
    code, out, err = run("associate", path, "-s", 0.3)
    assert code == 0 and out.startswith("6 baskets of 3 items: 5 frequent sets, 4 rules"), err
    assert err.startswith("Note: read as lines: one basket on each line")
    path.write_text("a,b\n" + "1,0\n" * 50 + "1\n")
    code, _, err = run("associate", path)
    assert code == 2 and err.rstrip().endswith("If each line is a basket: --form lines.")


def test_conclusions_are_never_cut(run, tmp_path):
    names = [f"{what} of a quite particular and wordy kind" for what in ("milk", "bread", "butter", "jam")]
    path = tmp_path / "wordy.csv"
    path.write_text("".join(",".join(names[:k]) + "\n" for k in (4, 4, 3, 2)))
    code, out, _ = run("associate", path, "-s", 0.5, "-c", 0.9, "--then", names[0], "--top", 40)
    rules = [line for line in out.splitlines() if "->" in line]
    assert code == 0 and len(rules) == 7
    assert all(line.endswith(f" -> {names[0]}") for line in rules)
    assert any(all(name in line for name in names) for line in rules)
