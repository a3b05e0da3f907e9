"""The effect of other rules."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.rulebase.rules import RuleBase
from assay.rules.editing import effect
from assay.tables import Schema

SCHEMA = Schema.numeric(1)
BASE = RuleBase.parse("x0 > 2 => yes\nelse no", SCHEMA, ("no", "yes"))
X, Y = [[0.0], [1.5], [1.8], [3.0], [4.0]], ["no", "yes", "no", "yes", "no"]


def test_rows_that_change_and_errors_by_class():
    result = effect(BASE, BASE.replaced(0, "x0 > 1 => yes"), X, Y)
    assert result.rows == (1, 2) and result.before == ("no", "no") and result.after == ("yes", "yes")
    assert (
        result.truth == ("yes", "no")
        and result.errors == (2.0, 2.0)
        and (result.better, result.worse) == (1, 1)
    )
    assert result.classes == {"no": (3.0, 1.0, 2.0), "yes": (2.0, 1.0, 0.0)}
    text = str(result)
    assert text.startswith(
        "2 rows change their answers: 1 become right, 1 become wrong.\n2 of 5 wrong before (40.00%)"
    )
    assert "&" not in result._repr_html_() and result._repr_html_().startswith("<pre>")


def test_weights_count():
    result = effect(BASE, BASE.replaced(0, "x0 > 1 => yes"), X, Y, [1, 5, 1, 1, 1])
    assert result.errors == (6.0, 2.0) and result.better == 5.0 and result.n == 9.0


def test_nothing_changes():
    result = effect(BASE, BASE, X, Y)
    assert result.rows == () and str(result).startswith("No row changes its answer.")


def test_numbers():
    base = RuleBase.parse("x0 > 2 => 5\nelse 1", SCHEMA)
    result = effect(base, base.replaced(0, "x0 > 2 => 4"), X, np.array([1.0, 1.0, 1.0, 4.0, 6.0]))
    assert result.rows == (3, 4) and (result.better, result.worse) == (1, 1) and result.classes == {}
    assert result.errors == pytest.approx((np.sqrt(2 / 5), np.sqrt(4 / 5)))
    assert "1 come nearer to the truth, 1 go away from it" in str(
        result
    ) and "Root mean squared error" in str(result)


def test_many_rows_are_cut():
    many = np.linspace(1.01, 2, 50)[:, None]
    assert "... and 40 more" in str(effect(BASE, BASE.replaced(0, "x0 > 1 => yes"), many, ["yes"] * 50))


def test_other_lengths():
    with pytest.raises(DataError, match="X has 5 rows, y has shape"):
        effect(BASE, BASE, X, Y[:3])
