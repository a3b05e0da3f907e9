"""The strongest reason in an explanation, as one short sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from assay.core.explanation import Explanation, Section, cell_text
from assay.core.words import one_line, shorter

__all__ = ["reason"]

MAX_LENGTH = 200  # characters of a reason
MAX_LOG_RATIO = math.log(1e6)  # of likelihoods; larger ratios are printed as "more than"
NEGLIGIBLE = 1e-12  # share of a predicted number that is rounding
TERMS_OF_NO_COLUMN = {
    "sum",
    "constant",
    "intercept",
    "1",
    "(mean)",
    "base",
    "prior",
    "log prior",
    "at the centre",
    "-1/2 log determinant",
}


def reason(explanation: Explanation, numbers: bool = False) -> str:
    """The strongest reason for a prediction: the rule or path that applied, or the column that contributed most.

    Parameters
    ----------
    numbers : whether a number was predicted, rather than a class

    >>> from assay.cli.reasons import reason
    >>> from assay.tables.data import load_weather
    >>> from assay.trees import C45Classifier
    >>> weather = load_weather()
    >>> model = C45Classifier().fit(weather.X, weather.y)
    >>> reason(model.explain(weather.X[5:6]))
    'outlook = rainy and windy = TRUE: 2 training rows, all of them no'
    """
    for describe in NUMBER_READERS if numbers else READERS:
        for section in explanation.sections:
            sentence = describe(section, explanation)
            if sentence:
                return one_line(sentence, MAX_LENGTH)
    if explanation.sections:
        return one_line(explanation.sections[0].note or explanation.sections[0].title, MAX_LENGTH)
    return "the mean of the training rows" if numbers else f"{explanation.answer} is the most frequent class"


def _rules(section: Section, explanation: Explanation) -> str:
    """The first rule that fired for the predicted class; its conditions may take several lines."""
    if not {"rule", "if", "then"} <= set(section.columns):
        return ""
    at = {name: section.columns.index(name) for name in ("rule", "if", "then")}
    rules: list[tuple[Any, list[str]]] = []
    for row in section.rows:
        if row[at["rule"]] != "" or not rules:
            rules.append((row[at["then"]], []))
        rules[-1][1].append(str(row[at["if"]]))
    for then, conditions in rules:
        if str(then) == str(explanation.answer):
            default = conditions == ["no rule holds"]
            return "no rule holds, so the default answers" if default else "rule: " + " ".join(conditions)
    return ""


def _path(section: Section, explanation: Explanation) -> str:
    """The tests on the way to the leaf, and the training rows there."""
    if section.title != "Path":
        return ""
    if "the row has" in section.columns:
        tests = [str(row[section.columns.index("the row has")]) for row in section.rows]
    else:
        test, branch = section.columns.index("test"), section.columns.index("branch")
        tests = [f"{row[test]} {row[branch]}".strip() for row in section.rows]
    rows = section.rows[-1][section.columns.index("rows")]
    tests = [test for test in tests if test and "leaf" not in test]
    tests_passed = " and ".join(dict.fromkeys(tests)) or "the tree has no test"
    label = str(explanation.answer)
    if label not in section.columns:
        return tests_passed
    n_agreeing = section.rows[-1][section.columns.index(label)]
    if rows == 1:
        return f"{tests_passed}: 1 training row, which is {label}"
    share = f"all of them {label}" if n_agreeing == rows else f"{_number(n_agreeing)} of them {label}"
    return f"{tests_passed}: {_number(rows)} training rows, {share}"


def _contributions(section: Section, explanation: Explanation) -> str:
    """Shapley values of what the note names: a class's probability, score or log odds."""
    if section.title != "What each column adds" or "contribution" not in section.columns:
        return ""
    baseline = " when nothing is known"
    for_answer = baseline not in section.note or f" {explanation.answer}{baseline}" in section.note
    return _strongest(section, explanation, section.columns.index("contribution"), 1 if for_answer else -1)


def _log_odds(section: Section, explanation: Explanation) -> str:
    if "log odds" not in section.columns or not section.title.startswith("Log odds of"):
        return ""
    return _strongest(section, explanation, section.columns.index("log odds"), 1)


def _terms(section: Section, explanation: Explanation) -> str:
    """Terms of one score, positive for the class that the title names, or of two classes and their difference."""
    if not section.title.startswith("Terms of the score"):
        return ""
    if "difference" in section.columns:
        return _strongest(section, explanation, section.columns.index("difference"), 1)
    positive = re.search(r"\(above 0: (.+)\)", section.title)
    sign = 1 if positive is None or positive[1] == str(explanation.answer) else -1
    return _strongest(section, explanation, section.columns.index("product"), sign)


def _likelihoods(section: Section, explanation: Explanation) -> str:
    """The column with the largest likelihood ratio of the predicted class against the runner-up."""
    predicted = str(explanation.answer)
    if section.title != "Prior and likelihoods" or predicted not in section.columns:
        return ""
    other_labels = [label for label in explanation.posterior if str(label) != predicted]
    if not other_labels:
        return ""
    rival = str(max(other_labels, key=lambda label: explanation.posterior[label]))
    if rival not in section.columns:
        return ""
    label_column, rival_column = section.columns.index(predicted), section.columns.index(rival)
    term, largest = "", 0.0
    for row in section.rows:
        if row[0] in TERMS_OF_NO_COLUMN or not all(
            isinstance(row[j], (int, float, Fraction)) for j in (label_column, rival_column)
        ):
            continue
        ratio = _log(row[label_column]) - _log(row[rival_column])
        if ratio > largest:
            term, largest = str(row[0]), ratio
    if not term:
        return f"{predicted} is the more frequent class, and no column contributes against it"
    times = shorter(math.exp(min(largest, MAX_LOG_RATIO)), 3)
    bound = "more than " if largest > MAX_LOG_RATIO else ""
    return f"{_cell(explanation, term)} is {bound}{times} times as likely under {predicted} as under {rival}"


def _neighbours(section: Section, explanation: Explanation) -> str:
    if not {"distance", "class"} <= set(section.columns) or "row" not in section.columns:
        return ""
    labels = [str(row[section.columns.index("class")]) for row in section.rows]
    n_agreeing = sum(label == str(explanation.answer) for label in labels)
    return f"{n_agreeing} of the {len(labels)} nearest training rows are {explanation.answer}"


def _centres(section: Section, explanation: Explanation) -> str:
    if section.columns[:2] != ["class", "distance"]:
        return ""
    distances = {str(row[0]): row[1] for row in section.rows}
    label = str(explanation.answer)
    if label not in distances:
        return ""
    return f"at a distance of {shorter(distances[label], 4)} from the centre of {label}, the nearest"


def _votes(section: Section, explanation: Explanation) -> str:
    if not section.title.startswith("Votes of") or not section.columns or section.columns[0] != "class":
        return ""
    for row in section.rows:
        if str(row[0]) == str(explanation.answer):
            return f"{section.columns[1]} for {explanation.answer}: {_number(row[1])}"
    return ""


def _rule_of_number(section: Section, explanation: Explanation) -> str:
    """The rule that decides, which stands first."""
    if not {"rule", "if", "then"} <= set(section.columns):
        return ""
    rule, condition = section.columns.index("rule"), section.columns.index("if")
    later = [i for i, row in enumerate(section.rows) if i and row[rule] != ""]
    conditions = [str(row[condition]) for row in section.rows[: later[0] if later else None]]
    return (
        "no rule holds, so the default answers"
        if conditions == ["no rule holds"]
        else "rule: " + " ".join(conditions)
    )


def _path_of_number(section: Section, explanation: Explanation) -> str:
    """The tests on the way to the leaf, the training rows there and their mean."""
    tests = _path(section, explanation)
    if not tests or tests == "the tree has no test" or "mean" not in section.columns:
        return ""
    rows, mean = (section.rows[-1][section.columns.index(name)] for name in ("rows", "mean"))
    return f"{tests}: {_number(rows)} training row{'' if rows == 1 else 's'}, mean {cell_text(float(mean))}"


def _largest_term(section: Section, explanation: Explanation) -> str:
    """The column with the largest term, of whatever sign, in the sum that is predicted."""
    amount = next((name for name in ("contribution", "product", "term") if name in section.columns[1:]), "")
    if not amount:
        return ""
    sums = _sums_by_column(section, explanation, section.columns.index(amount))
    name, value = max(sums.items(), key=lambda term: abs(term[1]), default=("", 0.0))
    if abs(value) <= NEGLIGIBLE * abs(float(explanation.answer)):
        return "no column contributes to the prediction"
    return f"{_cell(explanation, name)} contributes most ({'+' if value > 0 else ''}{cell_text(value)})"


def _rows_of_number(section: Section, explanation: Explanation) -> str:
    """The training rows whose numbers were averaged."""
    number = next((name for name in ("y", "number") if name in section.columns), "")
    if not number or not {"row", "weight"} <= set(section.columns) or not section.rows:
        return ""
    values = [float(row[section.columns.index(number)]) for row in section.rows]
    if len(values) == 1:
        return f"the training row {section.rows[0][section.columns.index('row')]} has {cell_text(values[0])}"
    low, high = (cell_text(end) for end in (min(values), max(values)))
    return f"the {len(values)} training rows that count most have {low} to {high}"


READERS: list[Callable[[Section, Explanation], str]] = [
    _rules, _path, _contributions, _log_odds, _terms, _likelihoods, _neighbours, _centres, _votes,
]  # fmt: skip
NUMBER_READERS: list[Callable[[Section, Explanation], str]] = [
    _rule_of_number, _path_of_number, _largest_term, _rows_of_number,
]  # fmt: skip


def _strongest(section: Section, explanation: Explanation, amount: int, sign: int) -> str:
    """The column that contributes most to the predicted class."""
    sums = _sums_by_column(section, explanation, amount)
    name, value = max(
        ((name, sign * value) for name, value in sums.items()), key=lambda term: term[1], default=("", 0.0)
    )
    if value <= 0:
        return f"no column contributes to {explanation.answer}; it is predicted when no column is known"
    return f"{_cell(explanation, name)} contributes most to {explanation.answer} ({value:+.3g})"


def _sums_by_column(section: Section, explanation: Explanation, amount: int) -> dict[str, float]:
    """The amount of each column; the indicators of its categories are added."""
    sums: dict[str, float] = {}
    for row in section.rows:
        if str(row[0]) in TERMS_OF_NO_COLUMN or not isinstance(row[amount], (int, float)):
            continue
        column = _column_of(explanation, str(row[0]))
        sums[column] = sums.get(column, 0.0) + row[amount]
    return sums


def _column_of(explanation: Explanation, term: str) -> str:
    """The column of a term: itself, or that of an indicator such as windy=TRUE."""
    if term in explanation.row:
        return term
    return next((name for name in explanation.row if term.startswith(f"{name}=")), term)


def _cell(explanation: Explanation, term: str) -> str:
    """The column with its value; an indicator is named as it is."""
    if term not in explanation.row:
        return term
    value = explanation.row[term]
    if value is None:
        return f"{term} missing"
    return f"{term} = {_number(value)}"


def _number(value: Any) -> str:
    return shorter(value) if isinstance(value, float) else str(value)


def _log(value: Any) -> float:
    return math.log(value) if value > 0 else -750.0
