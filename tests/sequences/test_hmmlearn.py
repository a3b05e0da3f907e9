"""The same answers as hmmlearn 0.3.3, on the flowers of iris cut into sequences of 60, 50 and 40 rows.

Peer: five steps of EM from the same start (log likelihood, log probability of the best paths, AIC, sorted emissions).
Written down from a run of hmmlearn, which the tests do not install. Differences: GMMHMM's scatter is about the new
means, so that it is compared without a step of EM, and its weights count K (M - 1) parameters, not M - 1; covars_ of
spherical models are (K, d, d); an empty state keeps its row.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from assay.sequences import GMMHMM, CategoricalHMM, GaussianHMM, MultinomialHMM, PoissonHMM

FLOWERS = load_iris().data
LENGTHS = [60, 50, 40]
SEPALS, WHOLE = FLOWERS[:, :2], np.floor(FLOWERS).astype(int)
SYMBOLS = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.1, 0.1, 0.7]])
COVARS = {
    "spherical": np.ones(3),
    "diag": np.ones((3, 2)),
    "full": np.tile(np.eye(2), (3, 1, 1)),
    "tied": np.eye(2),
}
PEER = {
    "spherical": (
        -174.40488436866517,
        -180.39639492112266,
        382.80976873733033,
        [2.7255008532, 2.9898188532, 3.4280010699, 5.0060003204, 5.7805613542, 6.6491475485],
    ),
    "diag": (
        -161.56491388231174,
        -166.46631938913018,
        363.1298277646235,
        [2.7201802978, 2.9787533205, 3.4280320014, 5.0060011226, 5.7988855057, 6.5870335953],
    ),
    "full": (
        -128.98637822546294,
        -133.79212886523723,
        303.9727564509259,
        [2.744820644, 2.955256641, 3.4280017301, 5.0060000809, 5.8188320122, 6.5520845126],
    ),
    "tied": (
        -146.04935257777782,
        -151.0722106905512,
        326.09870515555565,
        [2.7535898527, 2.9670454707, 3.4280000202, 5.0060002128, 5.8248914122, 6.6128574296],
    ),
    "categorical": (
        -133.5363380234083,
        -138.852431556287,
        301.0726760468166,
        [
            1.35e-08,
            3.16451e-05,
            0.0084733277,
            0.0142006274,
            0.0315961169,
            0.0378609656,
            0.371802147,
            0.4034054462,
            0.4502365444,
            0.5270895006,
            0.5587407704,
            0.5965628952,
        ],
    ),
    "multinomial": (
        -585.0619231105388,
        -585.1275961272918,
        1204.1238462210777,
        [
            0.0704867399,
            0.0802567839,
            0.0845322962,
            0.1969186365,
            0.2024369031,
            0.2169473253,
            0.2710301449,
            0.2868730658,
            0.2927925487,
            0.4257565185,
            0.4304332471,
            0.4415357899,
        ],
    ),
    "poisson": (
        -502.9674547107693,
        -510.6331982319602,
        1033.9349094215386,
        [1.0031912058, 4.2085371552, 4.6009978708, 4.6430827294, 5.6656583563, 5.8645026207],
    ),
}


def started(model, **emissions):
    model.startprob_, model.transmat_ = np.full(3, 1 / 3), np.full((3, 3), 0.1) + 0.7 * np.eye(3)
    for name, value in emissions.items():
        setattr(model, name, value)
    return model.set_params(init_params="")


def agree(name, model, X, attribute):
    score, best, aic, emissions = PEER[name]
    assert_allclose(model.score(X, LENGTHS), score, rtol=1e-8)
    assert_allclose(model.decode(X, LENGTHS)[0], best, rtol=1e-8)
    assert_allclose(np.sort(np.ravel(getattr(model, attribute))), emissions, atol=2e-10)
    return aic


@pytest.mark.capability("IML-15-12")
@pytest.mark.parametrize("kind", COVARS)
def test_gaussian(kind):
    model = started(
        GaussianHMM(3, covariance_type=kind, n_iter=5), means_=SEPALS[[0, 60, 120]], covars_=COVARS[kind]
    )
    aic = agree(kind, model.fit(SEPALS, LENGTHS), SEPALS, "means_")
    assert_allclose(model.aic(SEPALS, LENGTHS), aic)


def test_categorical_multinomial_and_poisson():
    codes = WHOLE[:, :1] - 4
    model = started(CategoricalHMM(3, n_iter=5), emissionprob_=SYMBOLS).fit(codes, LENGTHS)
    assert_allclose(model.aic(codes, LENGTHS), agree("categorical", model, codes, "emissionprob_"))
    start = np.array([[0.4, 0.3, 0.2, 0.1], [0.1, 0.4, 0.4, 0.1], [0.1, 0.2, 0.3, 0.4]])
    model = started(MultinomialHMM(3, n_iter=5), emissionprob_=start).fit(WHOLE, LENGTHS)
    assert_allclose(model.aic(WHOLE, LENGTHS), agree("multinomial", model, WHOLE, "emissionprob_"))
    counts = WHOLE[:, [0, 2]]
    model = started(PoissonHMM(3, n_iter=5), lambdas_=np.array([[4.0, 1], [5, 4], [6, 5]])).fit(
        counts, LENGTHS
    )
    assert_allclose(model.aic(counts, LENGTHS), agree("poisson", model, counts, "lambdas_"))


MATRIX = np.array([[0.5, 0.1], [0.1, 0.4]])
MIXTURES = {
    "spherical": np.full((3, 2), 0.5),
    "diag": np.full((3, 2, 2), 0.5),
    "full": np.tile(MATRIX, (3, 2, 1, 1)),
    "tied": np.tile(MATRIX, (3, 1, 1)),
}
PEER_OF_MIXTURES = {  # log likelihood, log probability of the best paths, rows of the first state
    "spherical": (-309.18111370779616, -319.5769297603273, 53.90495966082063),
    "diag": (-309.18111370779616, -319.5769297603273, 53.90495966082063),
    "full": (-287.65259133207473, -296.73862472511604, 51.35540397543806),
    "tied": (-287.65259133207473, -296.73862472511604, 51.35540397543806),
}


@pytest.mark.capability("IML-15-13")
@pytest.mark.parametrize("kind", MIXTURES)
def test_mixtures(kind):
    model = started(
        GMMHMM(3, 2, covariance_type=kind),
        weights_=np.array([[0.3, 0.7], [0.5, 0.5], [0.6, 0.4]]),
        means_=SEPALS[[0, 5, 60, 65, 120, 125]].reshape(3, 2, 2),
        covars_=MIXTURES[kind],
    )
    found = (
        model.score(SEPALS, LENGTHS),
        model.decode(SEPALS, LENGTHS)[0],
        model.predict_proba(SEPALS, LENGTHS)[:, 0].sum(),
    )
    assert_allclose(found, PEER_OF_MIXTURES[kind], rtol=1e-10)


@pytest.mark.capability("IML-15-06")
def test_the_same_seed_draws_the_same():
    model = started(CategoricalHMM(3, random_state=7), emissionprob_=SYMBOLS)
    X, states = model.sample(12)
    assert X.ravel().tolist() == [1, 1, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3]
    assert states.tolist() == [0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
    fitted = CategoricalHMM(3, n_iter=1, random_state=7).fit(WHOLE[:, :1] - 4, LENGTHS)
    assert_allclose(fitted.monitor_.history[0], -196.6869723277004, rtol=1e-12)
