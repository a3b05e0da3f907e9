"""Pictures are drawn without a screen, and closed after each test."""

import pytest


@pytest.fixture(autouse=True)
def no_screen():
    matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra assay[plot]")
    import matplotlib.pyplot as plt

    with matplotlib.rc_context():
        plt.switch_backend("agg")
        yield
        plt.close("all")
