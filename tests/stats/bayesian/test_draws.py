import sys
import types

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay import load, save
from assay.errors import DataError, MissingExtraError
from assay.stats import Draws

RNG = np.random.default_rng(0)
DRAWS = Draws(
    {"mu": RNG.normal(5, 1, (4, 50)), "w": RNG.normal(size=(4, 50, 2, 3)), "k": RNG.poisson(2, (4, 50))}
)


def test_summary_is_that_of_all_chains_together():
    table = DRAWS.summary()
    assert table.parameter[:3] == ["mu", "w[0, 0]", "w[0, 1]"] and len(table.parameter) == 8
    i = table.parameter.index("w[1, 2]")
    column = DRAWS["w"][:, :, 1, 2].ravel()
    assert_allclose(table.mean[i], column.mean(), rtol=1e-12)
    assert_allclose(table.sd[i], column.std(ddof=1), rtol=1e-12)
    assert_allclose([table.low[i], table.high[i]], DRAWS.hpd()["w"][:, 1, 2], rtol=1e-12)
    assert_allclose(DRAWS.mean["w"][1, 2], table.mean[i], rtol=1e-12)
    assert_allclose(DRAWS.var["w"][1, 2], table.sd[i] ** 2, rtol=1e-12)
    assert_allclose(DRAWS.interval(0.5)["mu"], np.quantile(DRAWS["mu"], [0.25, 0.75]), rtol=1e-12)
    assert DRAWS.summary(["k"]).parameter == ["k"] and list(table.to_dict())[:3] == [
        "parameter",
        "mean",
        "sd",
    ]


def test_it_shows_itself_as_a_table_and_says_what_is_left_out():
    assert repr(DRAWS).splitlines()[0] == "3 parameters, 4 chains of 50 draws, shortest intervals of 95 %"
    assert "<th>r_hat</th>" in DRAWS._repr_html_()
    many = Draws({"w": RNG.normal(size=(1, 9, 30)), "b": RNG.normal(size=(1, 9, 5))})
    assert repr(many).splitlines()[-1].strip() == "... and 15 more: summary(names)"
    assert "1 chain of 9 draws" in repr(many)


def test_few_draws_say_nothing_of_convergence():
    table = Draws({"mu": [[1.0, 2.0, 3.0]]}).summary()
    assert table.mean == 2 and np.isnan(table.r_hat).all() and np.isnan(table.ess_bulk).all()


def test_it_is_a_dict_of_arrays_and_survives_a_file(tmp_path):
    assert (
        list(DRAWS) == ["mu", "w", "k"]
        and len(DRAWS) == 3
        and "mu" in DRAWS
        and set(dict(DRAWS)) == set(DRAWS)
    )
    assert DRAWS.flat("w").shape == (200, 2, 3)
    save(DRAWS, tmp_path / "draws.assay")
    again = load(tmp_path / "draws.assay")
    for name in DRAWS:
        assert_array_equal(again[name], DRAWS[name])
        assert again[name].dtype == DRAWS[name].dtype


@pytest.mark.parametrize(
    "from_dict",
    [
        lambda posterior=None, *, prior=None, coords=None: {"posterior": posterior},  # ArviZ 0.23
        lambda data, *, name=None, sample_dims=None, coords=None: data,  # arviz-base 0.8, which is ArviZ 1
    ],
)
def test_arviz_gets_the_group_posterior(monkeypatch, from_dict):
    """ArviZ is no dependency: a module of its name records what it is handed, as either version takes it."""
    arviz = types.ModuleType("arviz")
    arviz.from_dict = from_dict
    monkeypatch.setitem(sys.modules, "arviz", arviz)
    assert DRAWS.to_arviz() == {"posterior": DRAWS.values}
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(MissingExtraError, match="pip install arviz"):
        DRAWS.to_arviz()


def test_what_is_no_set_of_draws_is_refused():
    with pytest.raises(DataError, match="expected a dict of arrays"):
        Draws({})
    with pytest.raises(DataError, match=r"'mu' has \(2, 5\), 'w' has \(3, 5\)"):
        Draws({"mu": np.zeros((2, 5)), "w": np.zeros((3, 5))})
    with pytest.raises(
        DataError, match=r"for all: '\w+' has \(\d+,\)\. Independent draws are one chain: x\[None\]"
    ):
        Draws({"mu": np.zeros(5)})
    with pytest.raises(DataError, match="Draws: mu: value 1, 2 is nan"):
        Draws({"mu": [[1.0, np.nan]]})
    with pytest.raises(KeyError, match="There are: mu, w, k"):
        DRAWS["mü"]


def test_showing_a_large_parameter_looks_at_what_is_shown_only(monkeypatch):
    """A topic model has tens of thousands of numbers: they are not all diagnosed to show twenty of them."""
    sizes = []
    monkeypatch.setattr(
        "assay.stats.bayesian.draws.split_r_hat", lambda x: sizes.append(x.shape) or np.ones(x.shape[2])
    )
    large = Draws({"w": RNG.normal(size=(2, 8, 40, 30))})
    assert repr(large).splitlines()[-1].strip() == "... and 1180 more: summary(names)"
    assert sizes == [(2, 8, 20)]
