"""The numbers of the figure about columns that were chosen out of noise."""

import pathlib
import runpy

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")

GALLERY = pathlib.Path(__file__).resolve().parents[2] / "gallery"


def test_of_noise_the_folds_that_chose_promise_what_new_rows_do_not_keep():
    import matplotlib.pyplot as plt

    with matplotlib.rc_context({"backend": "agg"}):
        plt.switch_backend("agg")
        variables = runpy.run_path(str(GALLERY / "plot_selection_bias.py"))
    plt.close("all")
    searched, honest = variables["searched"], variables["honest"]
    assert searched["noise"].score_ < 0.3
    assert honest["noise"].low < 0.5 < honest["noise"].high and honest["noise"].optimism > 0.1
    assert honest["wines"].mean < 0.1
