"""The numbers behind the figures of Bayesian regression."""

import numpy as np
import pytest
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-16-33", "IML-16-08")
def test_a_sure_prior_shrinks_and_noise_widens():
    """IML figure 16-4."""
    models = draw("plot_bayesian_lines.py")["rows"]
    assert abs(models[10, 5].coef_[0]) < abs(models[1, 5].coef_[0])
    assert (models[1, 0.5].posterior_.var > models[1, 5].posterior_.var).all()


@pytest.mark.capability("IML-16-33", "IML-16-12")
def test_the_average_of_draws_is_better_than_a_draw():
    """IML figure 16-5."""
    for errors in draw("plot_posterior_draws.py")["errors"].values():
        draws, average, likely = errors[:-2], errors[-2], errors[-1]
        assert average < np.mean(draws)
        assert len(draws) == 10
        assert likely > 0


@pytest.mark.capability("IML-16-33", "IML-16-13")
def test_evidence_prefers_the_parabola_and_the_sixth_degree_is_unsure_outside():
    """IML figure 16-6."""
    models = draw("plot_basis_functions.py")["models"]
    assert max(models, key=lambda k: models[k].log_evidence_) == 2
    inside, outside = ([[0.0]], [[1.5]])
    ratio = {
        k: float(m.predict(outside, True)[1][0] / m.predict(inside, True)[1][0]) for k, m in models.items()
    }
    assert ratio[6] > 2 > ratio[1]
