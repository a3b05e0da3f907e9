"""``assay bandit``: policies judged by a log of decisions."""

import csv
import json

import numpy as np
import pytest


@pytest.fixture
def log(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 400)
    offer = rng.choice(["call", "mail"], 400)
    bought = rng.random(400) < np.where((age > 40) == (offer == "call"), 0.8, 0.1)
    rows = [
        (a, o, "yes" if b else "no", 0.5, "call" if a > 40 else "mail") for a, o, b in zip(age, offer, bought)
    ]
    path = tmp_path / "log.csv"
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(
            [("age", "offer", "bought", "p", "plan"), *rows, ("30", "", "yes", "0.5", "call")]
        )
    return path


def test_values_intervals_and_what_the_model_would_do(run, log, tmp_path):
    out_file = tmp_path / "choices.csv"
    args = (
        "bandit",
        log,
        "-a",
        "offer",
        "-r",
        "bought",
        "--propensity",
        "p",
        "--policy",
        "plan",
        "-l",
        "tree",
    )
    code, out, err = run(*args, "-o", out_file)
    assert code == 0, err
    assert "Left out: 1 row" in err
    lines = out.splitlines()
    assert lines[0] == "400 decisions among 2 actions; value: mean bought"
    assert lines[3].split()[0] in ("plan", "by") and "always call" in out and "as logged" in out
    choices = list(csv.DictReader(out_file.read_text().splitlines()))
    assert len(choices) == 400 and {row["offer"] for row in choices} == {"call", "mail"}
    first, second = (json.loads(run(*args, "--json")[1]) for _ in range(2))
    assert first == second and first["rows"] == 400
    value = {record["policy"]: record for record in first["policies"]}
    assert value["plan"]["low"] < 0.8 < value["plan"]["high"] and value["plan"]["difference_low"] > 0


def test_without_a_learner_and_with_estimated_propensities(run, log):
    code, out, _ = run("bandit", log, "-a", "offer", "-r", "bought", "-l", "none", "--drop", "p")
    assert code == 0 and "by model" not in out and "Propensities are estimated" in out


def test_one_value_can_be_named_a_success(run, log):
    first, second = (
        json.loads(run("bandit", log, "-a", "offer", "-r", "bought", "-l", "none", "--json", *more)[1])
        for more in ((), ("--success", "yes"))
    )
    assert first == second


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-a", "offr", "-r", "bought"), "Did you mean offer?"), (("-a", "offer", "-r", "plan"), "--success VALUE"),
        (("-a", "offer", "-r", "offer"), "two roles"),
        (("-a", "offer", "-r", "bought", "-l", "nonsense"), "no learner"),
        (("-a", "offer", "-r", "bought", "--propensity", "age"), "at most 1"),
        (("-a", "offer", "-r", "bought", "-l", "none", "-o", "x.csv"), "needs a --learner"),
        (("-a", "offer"), "--reward"),
        (("-a", "offer", "-r", "bought", "--success", "ye"), "Did you mean yes?"),
    ],
)  # fmt: skip
def test_wrong_input_ends_in_a_sentence(run, log, options, message):
    code, out, err = run("bandit", log, *options)
    assert code == 2 and message in err and "Traceback" not in err + out


@pytest.mark.parametrize(
    ("option", "message"),
    [("--propensity", "p is missing in 1 row"), ("--policy", "p says nothing in 1 row")],
)
def test_gaps_where_none_may_be_are_counted(run, log, option, message):
    lines = log.read_text().splitlines()
    lines[3] = lines[3].replace(",0.5,", ",,")
    log.write_text("\n".join(lines))
    code, _, err = run("bandit", log, "-a", "offer", "-r", "bought", option, "p")
    assert code == 2 and message in err
