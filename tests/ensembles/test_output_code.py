"""Code words: drawn or given, and the classifier that answers the nearest."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OutputCodeClassifier as Peer
from sklearn.naive_bayes import GaussianNB as PeerNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import assay
from assay.bayes import LinearDiscriminantAnalysis
from assay.ensembles.codes import (
    code_distance,
    exhaustive_code,
    one_vs_one_code,
    one_vs_rest_code,
    random_code,
)
from assay.ensembles.one_vs_one import OneVsOneClassifier
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.ensembles.output_code import OutputCodeClassifier
from assay.errors import AssayWarning, DataError, ParameterError

DIGITS, FIGURES = load_digits(return_X_y=True)


@pytest.mark.capability("LS-20")
def test_the_code_of_one_against_one_reproduces_it():
    """Ten figures, few columns, so that votes tie and the sums of confidences decide."""
    X, y = DIGITS[:700, 20:24], FIGURES[:700]
    pairwise = OneVsOneClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    code = one_vs_one_code(10)
    coded = OutputCodeClassifier(LinearDiscriminantAnalysis(), code_book=code, decoding="hamming").fit(X, y)
    wins = np.sort(pairwise._wins_and_sums(X)[0], axis=1)
    assert (wins[:, -1] == wins[:, -2]).sum() >= 5
    assert_array_equal(coded.predict(X), pairwise.predict(X))


@pytest.mark.capability("LS-20")
def test_the_code_of_one_against_the_rest_reproduces_it_where_one_says_yes():
    X, y = load_wine(return_X_y=True)
    rest = OneVsRestClassifier(LinearDiscriminantAnalysis()).fit(X, y)
    coded = OutputCodeClassifier(
        LinearDiscriminantAnalysis(), code_book=one_vs_rest_code(3), decoding="hamming"
    )
    coded.fit(X, y)
    alone = (rest.decision_function(X) > 0).sum(axis=1) == 1
    assert alone.sum() > 150
    assert_array_equal(coded.predict(X)[alone], rest.predict(X)[alone])
    euclidean = OutputCodeClassifier(LinearDiscriminantAnalysis(), code_book=one_vs_rest_code(3)).fit(X, y)
    assert_array_equal(euclidean.predict(X), rest.predict(X))  # |s - m|^2 differs by 4 s_k alone


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("base", [LogisticRegression(C=0.5), PeerNB()])
@pytest.mark.parametrize("size, seed", [(2.0, 1), (4.0, 5)])
def test_same_answers_as_scikit_learn(load, base, size, seed):
    """Peer: OutputCodeClassifier, scikit-learn 1.9, which draws the same code."""
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = OutputCodeClassifier(base, code_size=size, random_state=seed).fit(X, y)
    peer = Peer(base, code_size=size, random_state=seed).fit(X, y)
    assert_array_equal(ours.code_book_ > 0, peer.code_book_ > 0)
    assert_array_equal(ours.predict(X), peer.predict(X))


def test_distances_by_the_book():
    """Both distances, worked out word by word."""
    X, y = load_iris(return_X_y=True)
    code = np.array([[1, -1, 0, 1], [-1, 1, 1, 1], [-1, -1, -1, -1]])
    for decoding in ("euclidean", "hamming"):
        model = OutputCodeClassifier(LinearDiscriminantAnalysis(), code_book=code, decoding=decoding).fit(
            X, y
        )
        s = np.column_stack([m.decision_function(X) for m in model.estimators_])
        if decoding == "euclidean":
            far = [[np.mean([(v - m) ** 2 for v, m in zip(row, word) if m]) for word in code] for row in s]
            assert_allclose(-model.decision_function(X), far, rtol=1e-8)
        else:
            far = np.array(
                [
                    [sum((1 - m * (1 if v > 0 else -1)) / 2 for v, m in zip(row, word)) for word in code]
                    for row in s
                ]
            )
            near = np.lexsort((np.zeros(3), far[0]))[0]
            assert model.predict(X)[0] == near
            assert (np.abs(-model.decision_function(X) - far) < 0.34).all()
        assert_array_equal(model.estimators_[2].classes_, [0, 1])
        assert_allclose(model.estimators_[2].priors_, [0.5, 0.5], rtol=1e-12)  # class 0 sat out


def test_long_words_forgive_wrong_members():
    X, y = DIGITS[:600], FIGURES[:600]
    model = OutputCodeClassifier(
        LogisticRegression(C=0.001, max_iter=500), code_size=4, random_state=0, decoding="hamming"
    ).fit(X, y)
    sound = model.score(X, y)
    worst = model.estimators_[0]
    worst.coef_, worst.intercept_ = -worst.coef_, -worst.intercept_  # one bit is always wrong
    assert sound > 0.9 and model.score(X, y) > sound - 0.05


@pytest.mark.capability("IML-17-07")
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("K", [2, 3, 4, 7, 20])
def test_random_codes_have_words_far_apart_and_columns_that_err_apart(K, sparse):
    """Oracle: lengths by Allwein et al., 10 and 15 log2 K, or all columns that there are."""
    code = random_code(K, sparse=sparse, n_draws=20, random_state=0)
    all_of_them = {2: (1, 1), 3: (3, 6), 4: (7, 25)}.get(K, (10**9, 10**9))[sparse]
    assert code.shape == (K, min(int(np.ceil((15 if sparse else 10) * np.log2(K))), all_of_them))
    assert set(np.unique(code)) <= ({-1, 0, 1} if sparse else {-1, 1})
    assert (code == 1).any(axis=0).all() and (code == -1).any(axis=0).all()
    columns = [tuple(column) for column in code.T]
    assert len({max(c, tuple(-np.array(c))) for c in columns}) == len(columns)  # none is another's complement
    words = [(a, b) for a in range(K) for b in range(a)]
    assert all((code[a] * code[b] < 0).any() for a, b in words)  # some column tells each pair apart
    few = random_code(K, sparse=sparse, n_draws=1, random_state=0)
    assert code_distance(code) >= code_distance(few)
    assert_array_equal(code, random_code(K, sparse=sparse, n_draws=20, random_state=0))


def test_random_codes_by_name():
    X, y = load_wine(return_X_y=True)
    scores = {
        name: [
            OutputCodeClassifier(PeerNB(), code_book=name, random_state=s).fit(X, y).score(X, y)
            for s in range(8)
        ]
        for name in ("random dense", "random sparse")
    }
    assert min(map(min, scores.values())) > 0.9  # no two words are equal, whatever the seed
    with pytest.raises(ParameterError, match="'random dense', 'random sparse', got 'random'"):
        OutputCodeClassifier(PeerNB(), code_book="random").fit(X, y)
    for wrong in ({"K": 1}, {"K": 3, "L": 0}, {"K": "3"}, {"K": 3, "n_draws": 0}):
        with pytest.raises(ParameterError, match="must be a whole number"):
            random_code(**wrong)


def test_equal_words_and_impossible_codes_are_told():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(AssayWarning, match="classes 0 and 1 have the same code word"):
        OutputCodeClassifier(LogisticRegression(), code_book=[[1], [1], [-1]]).fit(X, y)
    for code, said in [
        ([[1], [-1]], "a row of -1, 0 and 1 for each of 3 classes"),
        ([[1, 1], [-1, 1], [0, 1]], "column 1 lacks it"),
        ([[1], [-1], [0]], "some class lacks it"),
        ([[2], [-1], [0]], "-1, 0 and 1"),
    ]:
        with pytest.raises(ParameterError, match=said):
            OutputCodeClassifier(LogisticRegression(), code_book=code).fit(X, y)
    with pytest.raises(ParameterError, match="makes no bit"):
        OutputCodeClassifier(LogisticRegression(), code_size=0.1).fit(X, y)
    with pytest.raises(ParameterError, match="must have decision_function or predict_proba"):
        OutputCodeClassifier(StandardScaler()).fit(X, y)
    with pytest.raises(DataError, match="y is None"):
        OutputCodeClassifier(LogisticRegression()).fit(X, None)


def test_explained_and_saved(tmp_path):
    X, y = load_iris(return_X_y=True)
    model = OutputCodeClassifier(LinearDiscriminantAnalysis(), random_state=3, code_size=3).fit(X, y)
    told = model.explain(X[:1])
    assert told.answer == 0 and len(told.sections[1].rows) == len(model.estimators_) == 9
    assert min(told.sections[0].rows, key=lambda row: row[1])[0] == "0"
    assay.save(model, tmp_path / "model.assay")
    assert_array_equal(assay.load(tmp_path / "model.assay").decision_function(X), model.decision_function(X))


# Six classes as binary numbers: their last bit alternates around the circle, which no straight line can learn.
BINARY_NUMBERS = np.array([[1 if k >> bit & 1 else -1 for bit in range(3)] for k in range(6)])


def around_a_circle(rng, K=6, n=40):
    """Classes on a circle, each between two others."""
    y = np.repeat(np.arange(K), n)
    angle = 2 * np.pi * y / K + rng.normal(0, 0.25, len(y))
    return np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.1, (len(y), 2)), y


@pytest.mark.capability("IML-13-30")
@pytest.mark.parametrize("decoding", ["euclidean", "hamming", "margin"])
def test_the_training_error_does_not_rise_when_columns_are_added(decoding):
    X, y = around_a_circle(np.random.default_rng(0))
    code = BINARY_NUMBERS
    errors = []
    for grow in range(6):
        model = OutputCodeClassifier(LogisticRegression(), code_book=code, decoding=decoding, grow=grow).fit(
            X, y
        )
        errors.append((model.predict(X) != y).mean())
        assert model.code_book_.shape[1] == len(model.estimators_) <= 3 + grow
    assert errors == sorted(errors, reverse=True) and errors[-1] < errors[0]
    added = model.code_book_[:, 3:]
    assert ((added == 1).sum(axis=0) == 1).all() and ((added == -1).sum(axis=0) == 1).all()
    kept = [step for step in model.history_ if step["kept"]]
    assert len(kept) == added.shape[1] and kept[-1]["error"] == errors[-1]


@pytest.mark.capability("IML-13-30")
def test_columns_are_judged_by_rows_set_aside_and_all_members_then_learn_from_all():
    X, y = around_a_circle(np.random.default_rng(1))
    code = BINARY_NUMBERS
    settings = {"code_book": code, "grow": 4, "random_state": 0}
    model = OutputCodeClassifier(LogisticRegression(), validation_fraction=0.3, **settings).fit(X, y)
    assert model.code_book_.shape[1] > 3
    for step in model.history_:
        assert step["kept"] == (step["error"] < step["before"])
    l = model.code_book_.shape[1] - 1
    rows = model.code_book_[y, l] != 0
    alone = LogisticRegression().fit(X[rows], (model.code_book_[y[rows], l] > 0).astype(int))
    assert_allclose(model.estimators_[l].coef_, alone.coef_, rtol=1e-6)


@pytest.mark.capability("IML-13-29")
def test_the_largest_of_machines_against_the_rest_is_a_code_by_margins():
    X, y = load_iris(return_X_y=True)
    machine = SVC(kernel="rbf", C=2.0)
    code = OutputCodeClassifier(machine, code_book=one_vs_rest_code(3), decoding="margin").fit(X, y)
    each = np.column_stack([SVC(kernel="rbf", C=2.0).fit(X, y == k).decision_function(X) for k in range(3)])
    assert_array_equal(code.predict(X), each.argmax(axis=1))


@pytest.mark.capability("IML-13-29")
def test_the_vote_of_pairs_of_machines_is_a_code_by_signs():
    X, y = load_iris(return_X_y=True)
    machine = SVC(kernel="rbf", C=2.0)
    code = OutputCodeClassifier(machine, code_book=one_vs_one_code(3), decoding="hamming").fit(X, y)
    votes = np.zeros((len(y), 3))
    for i, k in ((0, 1), (0, 2), (1, 2)):
        rows = (y == i) | (y == k)
        second = SVC(kernel="rbf", C=2.0).fit(X[rows], y[rows] == k).decision_function(X) > 0
        votes[np.arange(len(y)), np.where(second, k, i)] += 1
    clear = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1) == 1
    assert clear.mean() > 0.95
    assert_array_equal(code.predict(X)[clear], votes.argmax(axis=1)[clear])


@pytest.mark.capability("IML-17-07")
def test_the_exhaustive_code():
    """Oracle: the words of four classes, and distances and forgiven bits of three to seven."""
    words = ["+++++++", "----+++", "--++--+", "-+-+-+-"]
    assert_array_equal(exhaustive_code(4), [[1 if bit == "+" else -1 for bit in word] for word in words])
    for K, L, h, corrects in ((3, 3, 2, 0), (4, 7, 4, 1), (5, 15, 8, 3), (6, 31, 16, 7), (7, 63, 32, 15)):
        code = exhaustive_code(K)
        assert code.shape == (K, L) and code_distance(code) == h and (h - 1) // 2 == corrects
        columns = {tuple(c) for c in code.T}
        assert (
            len(columns | {tuple(-c) for c in code.T}) == 2 * L
        )  # none twice, none the complement of another
    assert code_distance(one_vs_rest_code(5)) == 2
    with pytest.raises(ParameterError, match="2 to 12 classes"):
        exhaustive_code(13)


@pytest.mark.capability("IML-17-07")
def test_decoding_of_the_worked_examples():
    """Oracle: a flipped bit of the third word, soft outputs, and three pairs; sums of score times bit."""
    model, code = OutputCodeClassifier(decoding="margin"), exhaustive_code(4)
    flipped = code[2].astype(float)
    flipped[1] *= -1
    assert_array_equal(model._decoded(flipped[None], code), [[1, -3, 5, 1]])
    hamming = OutputCodeClassifier(decoding="hamming")._decoded(flipped[None], code)
    assert hamming.argmax() == 2
    soft = np.array([[0.9, -0.1, 0.3, -0.8, 0.2, 0.6, -0.7]])
    assert_allclose(model._decoded(soft, code), [[0.4, -0.2, -2.8, -1]], atol=1e-12)
    pairs = -one_vs_one_code(3)
    assert_array_equal(pairs, [[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    assert_allclose(model._decoded(np.array([[0.8, 0.2, -0.9]]), pairs), [[1, -1.7, 0.7]], atol=1e-12)


@pytest.mark.capability("IML-17-07")
@pytest.mark.parametrize("decoding", ["euclidean", "hamming", "margin", "hinge"])
@pytest.mark.parametrize("code_book", ["one vs rest", "one vs one", "exhaustive", None])
def test_codes_by_name(code_book, decoding):
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = OutputCodeClassifier(
        PeerNB(), code_book=code_book, decoding=decoding, code_size=3, random_state=0
    )
    assert model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.85
    with pytest.raises(ParameterError, match="code_book must be"):
        OutputCodeClassifier(code_book="random").fit(X, y)


def test_the_hinge_of_unused_bits_is_no_loss():
    model = OutputCodeClassifier(decoding="hinge")
    assert_allclose(model._decoded(np.array([[2.0, -0.5]]), np.array([[1, 0], [-1, -1]])), [[0, -3.5]])
