"""The desk: what the page computes when sliders move is what ``decide`` would do, in Python and in a browser."""

import base64
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay import compare
from assay.evaluate import OutOfFold
from assay.report import render_report
from assay.report.desk import BINS, account, desk, loss_matrix, script, script_hash
from assay.tables.data import load_breast_cancer, load_iris

posteriors = st.integers(2, 5).flatmap(
    lambda K: st.lists(
        st.tuples(st.lists(st.integers(0, 20), min_size=K, max_size=K).filter(any), st.integers(0, K - 1)),
        min_size=1, max_size=12,
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def two():
    return compare(["majority", "naive bayes", "lda"], load_breast_cancer(), design="5-fold")


@pytest.fixture(scope="module")
def three():
    return compare(["majority", "naive bayes", "lda"], load_iris(), design="5-fold")


def pooled(result):
    return {name: result.out_of_fold(name) for name in result.finished}


def by_hand(posterior, truth, loss, reject):
    """Row by row, as the docstring says."""
    paid, wrong, open_rows = 0.0, 0, 0
    for p, k in zip(posterior, truth):
        risks = [sum(loss[a][j] * p[j] for j in range(len(p))) for a in range(len(p))]
        least = min(risks)
        slack = 1e-12 * np.max(loss)
        if reject is not None and not least < reject - slack:
            paid, open_rows = paid + reject, open_rows + 1
        else:
            a = next(a for a, r in enumerate(risks) if r <= least + slack)
            paid, wrong = paid + loss[a][k], wrong + (a != k)
    n = len(truth)
    return paid / n, wrong / (n - open_rows) if n > open_rows else np.nan, open_rows / n


@settings(max_examples=60, deadline=None)
@given(
    rows=posteriors, dear=st.sampled_from([0.1, 1.0, 7.5]), reject=st.sampled_from([None, 0.05, 0.25, 0.5])
)
def test_an_account_is_what_a_clerk_would_pay(rows, dear, reject):
    weights = np.array([w for w, _ in rows], dtype=float)
    truth = np.array([k for _, k in rows])
    posterior = weights / weights.sum(axis=1, keepdims=True)
    loss = 1.0 - np.eye(posterior.shape[1])
    loss[0, 1] = dear
    found = account(posterior, truth, loss, reject)
    assert_allclose(
        [found.cost, found.error, found.rejected], by_hand(posterior, truth, loss, reject), rtol=1e-12
    )
    assert found.confusion.sum() == len(truth)


def test_with_equal_costs_the_account_is_the_error_of_the_comparison(two):
    for name, answers in pooled(two).items():
        found = account(answers.posterior, answers.truth, 1.0 - np.eye(2), None)
        wrong = two.values(name).mean()
        assert found.cost == found.error
        assert_allclose(found.error, wrong, atol=1e-3)  # folds differ by a row, the pooled error does not


def test_the_account_is_the_cost_that_compare_measured():
    loss = {("benign", "malignant"): 8.0, ("malignant", "benign"): 2.0}
    result = compare(["lda", "naive bayes"], load_breast_cancer(), design="5-fold", loss=loss, reject=0.4)
    rows = np.array([len(t) for t in result.tests])
    for name, a in pooled(result).items():
        found = account(a.posterior, a.truth, loss_matrix(result), 0.4)
        assert_allclose(found.cost, rows @ result.values(name, "cost") / rows.sum(), rtol=1e-12)
        assert_allclose(found.rejected, rows @ result.values(name, "rejected") / rows.sum(), rtol=1e-12)


@pytest.mark.parametrize("fixture", ["two", "three"])
def test_few_rows_travel_as_they_are(fixture, request):
    result = request.getfixturevalue(fixture)
    answers = pooled(result)
    found = desk(result, answers)["data"]
    assert found["how"] == "exact"
    for learner in found["learners"]:
        sent = np.frombuffer(base64.b64decode(learner["p"]), "<f8").reshape(-1, len(result.classes))
        np.testing.assert_array_equal(sent, answers[learner["name"]].posterior)
    np.testing.assert_array_equal(
        np.frombuffer(base64.b64decode(found["truth"]), "<u2"), answers["lda"].truth
    )


def many(n, K, learners, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, K, n)
    found = {}
    for i in range(learners):
        scores = rng.normal(size=(n, K)) + 2.0 * np.eye(K)[truth]
        posterior = np.exp(scores)
        found[f"learner {i}"] = OutOfFold(
            np.arange(n), truth, posterior.argmax(axis=1), posterior / posterior.sum(axis=1, keepdims=True)
        )
    return found


class Given:
    """As much of a comparison as the desk looks at."""

    alpha, places = 0.05, ((0, 0),)  # one repetition

    def __init__(self, K, answers):
        self.classes, self.settings, self.finished = (
            list(range(K)),
            {"loss": None, "reject": None},
            list(answers),
        )


@pytest.mark.parametrize(
    ("n", "K", "learners", "how"),
    [(2000, 2, 5, "exact"), (5000, 2, 10, "rounded"), (20_000, 2, 20, "binned"), (1000, 10, 5, "rounded"),
     (20_000, 10, 20, "sampled"), (3000, 40, 3, "top"), (3000, 300, 20, "top")],
)  # fmt: skip
def test_many_rows_travel_small_and_the_page_says_how(n, K, learners, how):
    answers = many(n, K, learners)
    found = desk(Given(K, answers), answers)
    assert found["data"]["how"] == how
    assert len(json.dumps(found["data"])) < 420_000
    word = {
        "exact": "rows",
        "rounded": "1/65535",
        "binned": "1/1000",
        "sampled": "sample",
        "top": "cost the same",
    }
    assert word[how] in found["words"] and f"{n:,}" in found["words"]


def test_bins_count_every_row_of_every_class_once():
    answers = many(20_000, 2, 20)
    found = desk(Given(2, answers), answers)["data"]
    counts = np.frombuffer(base64.b64decode(found["learners"][3]["counts"]), "<u4").reshape(2, BINS + 1)
    own = answers["learner 3"]
    np.testing.assert_array_equal(counts.sum(axis=1), np.bincount(own.truth))
    mean = (counts * np.arange(BINS + 1)).sum() / BINS / counts.sum()
    assert_allclose(mean, own.posterior[:, 1].mean(), atol=0.5 / BINS)


def test_no_probabilities_no_desk(two):
    bare = {name: a._replace(posterior=None) for name, a in pooled(two).items()}
    assert desk(two, bare) is None
    some = dict(bare, lda=two.out_of_fold("lda"))
    assert "not here: majority, naive bayes" in desk(two, some)["words"]


def test_the_costs_of_the_comparison_are_where_the_desk_starts():
    given = {("benign", "malignant"): 8.0}
    result = compare(["lda"], load_breast_cancer(), design="3-fold", loss=given, reject=0.4)
    data = desk(result, pooled(result))["data"]
    assert data["reject"] == 0.4
    np.testing.assert_array_equal(loss_matrix(result), [[0, 8], [1, 0]])
    assert data["loss"] == [[0, 8], [1, 0]]


def test_weights_and_costs_of_single_rows_are_not_hidden():
    X, y = load_iris()
    weighted = compare(["lda"], X, y, design="3-fold", sample_weight=np.arange(1.0, 151.0))
    assert "Rows count alike here" in desk(weighted, pooled(weighted))["words"]
    loss = np.broadcast_to(1.0 - np.eye(3), (150, 3, 3)) * np.arange(1.0, 151.0)[:, None, None]
    per_row = compare(["lda"], X, y, design="3-fold", loss=loss)
    assert "costs of single rows are not used" in desk(per_row, pooled(per_row))["words"]


def test_the_script_writes_text_alone_and_cannot_end_its_element():
    code = script()
    assert "</" not in code and "<!--" not in code
    assert script_hash(code) == script_hash(code) != script_hash(code + " ")


# In a browser. The twin of the script is ``account``, which is ``decide``.


def shown(row):
    return dict(zip(("place", "learner", "cost", "half", "error", "undecided"), row))


def percent(share):
    return "none" if np.isnan(share) else f"{100 * share:.1f}%"


@pytest.mark.parametrize(
    ("fragment", "loss", "reject"),
    [("", [[0, 1], [1, 0]], None), ("#costs;miss=10;alarm=1", [[0, 10], [1, 0]], None),
     ("#costs;miss=1;alarm=25;reject=0.3", [[0, 1], [25, 0]], 0.3),
     ("#costs;positive=0;miss=4;alarm=0.5;reject=0", [[0, 0.5], [4, 0]], 0.0)],
)  # fmt: skip
def test_two_classes_in_the_browser(browser, two, tmp_path, fragment, loss, reject):
    page = tmp_path / "two.html"
    page.write_text(render_report(two, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page, fragment)
    assert browser.said == []  # no error, and nothing was refused by the policy
    rows = {shown(r)["learner"]: shown(r) for r in browser.table("#desk-ranking")}
    expected = {}
    for name, a in pooled(two).items():
        found = account(a.posterior, a.truth, np.array(loss, dtype=float), reject)
        expected[name] = found.cost
        assert rows[name]["cost"] == f"{found.cost:.4f}"
        assert rows[name]["error"] == percent(found.error)
        assert rows[name]["undecided"] == percent(found.rejected)
    order = [r[1] for r in browser.table("#desk-ranking")][:3]
    assert order == sorted((s.learner for s in two.ranking()), key=expected.get)  # ties: as ranked


def test_the_sliders_move_by_keys_and_the_page_follows(browser, two, tmp_path):
    page = tmp_path / "two.html"
    page.write_text(render_report(two, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page)
    assert not browser.run("document.getElementById('desk').hidden")
    browser.run("document.getElementById('desk-ratio').focus()")
    browser.key("ArrowRight", 100)  # a hundred steps of 0.01: a miss costs ten false alarms
    assert browser.run("document.getElementById('desk-miss').value") == "10"
    lda = two.out_of_fold("lda")
    dear = account(lda.posterior, lda.truth, np.array([[0.0, 10], [1, 0]]), None)
    row = next(r for r in browser.table("#desk-ranking") if r[1] == "lda")
    assert row[2] == f"{dear.cost:.4f}"
    assert "above 0.091" in browser.text("#desk-sentence")
    assert "miss=10" in browser.run("location.hash")

    browser.run("document.getElementById('desk-may-reject').focus()")
    browser.key(" ")
    assert browser.run("document.getElementById('desk-may-reject').checked")
    cost = float(browser.run("document.getElementById('desk-reject-cost').value"))
    found = account(lda.posterior, lda.truth, np.array([[0.0, 10], [1, 0]]), cost)
    row = next(r for r in browser.table("#desk-ranking") if r[1] == "lda")
    assert row[5] == percent(found.rejected) != "0.0%"
    browser.run("document.getElementById('desk-again').click()")
    assert browser.run("document.getElementById('desk-miss').value") == "1"
    assert not browser.run("document.getElementById('desk-may-reject').checked")


def test_the_threshold_recounts_the_confusion(browser, two, tmp_path):
    page = tmp_path / "two.html"
    page.write_text(render_report(two, learning_curves=False, explanations=False), encoding="utf-8")
    names = [s.learner for s in two.ranking()]
    browser.open(page, f"#costs;learner={names.index('naive bayes')};threshold=0.9")
    a = two.out_of_fold("naive bayes")
    said = a.posterior[:, 1] > 0.9
    tp, fp = int((said & (a.truth == 1)).sum()), int((said & (a.truth == 0)).sum())
    fn, tn = int((~said & (a.truth == 1)).sum()), int((~said & (a.truth == 0)).sum())
    assert [row[1:] for row in browser.table("#desk-cut")[1:]] == [[str(tn), str(fp)], [str(fn), str(tp)]]
    rates = dict(browser.table("#desk-rates"))
    assert rates["precision"] == percent(tp / (tp + fp)) and rates["recall"] == percent(tp / (tp + fn))
    assert rates["F1"] == f"{2 * tp / (2 * tp + fp + fn):.4f}"
    browser.run("document.getElementById('desk-threshold').focus()")
    browser.key("Home")
    assert dict(browser.table("#desk-rates"))["recall"] == "100.0%"


@pytest.mark.parametrize(("miss", "alarm"), [(1, 1), (10, 1), (0.2, 3)])
def test_the_best_threshold_is_the_best_of_all(browser, two, tmp_path, miss, alarm):
    page = tmp_path / "two.html"
    page.write_text(render_report(two, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page, f"#costs;positive=1;miss={miss};alarm={alarm}")
    for row in browser.table("#desk-ranking")[:3]:
        a = two.out_of_fold(row[1])
        p = a.posterior[:, 1]
        threshold, cost = (float(v) for v in row[6].rstrip(")").split(" ("))
        least = min(
            np.mean(miss * ((p <= t) & (a.truth == 1)) + alarm * ((p > t) & (a.truth == 0)))
            for t in np.append(np.unique(p), -1.0)
        )
        assert_allclose(cost, least, atol=5.1e-5)
        assert 0 <= threshold <= 1
        costs = np.where(p > 0.5, alarm * (a.truth == 0), miss * (a.truth == 1)) if miss == alarm else None
        if costs is not None:
            assert_allclose(
                float(row[3].removeprefix("± ")), 1.96 * costs.std() / np.sqrt(len(p)), atol=5.1e-5
            )


def test_three_classes_in_the_browser(browser, three, tmp_path):
    page = tmp_path / "three.html"
    page.write_text(render_report(three, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page, "#costs;cost.1.2=10;reject=0.2")
    loss = 1.0 - np.eye(3)
    loss[1, 2] = 10.0
    for name, a in pooled(three).items():
        found = account(a.posterior, a.truth, loss, 0.2)
        row = next(r for r in browser.table("#desk-ranking") if r[1] == name)
        assert row[2:6:3] == [f"{found.cost:.4f}", percent(found.rejected)] and row[4] == percent(found.error)
    best = browser.run("document.getElementById('desk-learner').selectedOptions[0].textContent")
    a = three.out_of_fold(best)
    counts = account(a.posterior, a.truth, loss, 0.2).confusion
    assert [[int(c) for c in row[1:]] for row in browser.table("#desk-confusion")[1:]] == counts.tolist()
    assert browser.table("#desk-losses")[3] == ["virginica", "1", "10", "0"]


@pytest.mark.parametrize(("n", "K", "learners", "tolerance"), [(20_000, 2, 20, 2e-3), (5000, 2, 10, 2e-4)])
def test_binned_and_rounded_rows_cost_almost_the_same(browser, two, tmp_path, n, K, learners, tolerance):
    answers = many(n, K, learners)
    found = desk(Given(K, answers), answers)["data"]
    found["classes"] = ["benign", "malignant"]
    html = render_report(two, learning_curves=False, explanations=False)
    before, _, after = html.partition('id="assay-desk">')
    page = tmp_path / "many.html"
    page.write_text(
        before + 'id="assay-desk">' + json.dumps(found) + "</script>" + after.split("</script>", 1)[1]
    )
    browser.open(page, "#costs;positive=1;miss=10;alarm=1;reject=0.4")
    loss = np.array([[0.0, 10], [1, 0]])
    for row in browser.table("#desk-ranking")[:learners]:
        a = answers[row[1]]
        assert_allclose(float(row[2]), account(a.posterior, a.truth, loss, 0.4).cost, atol=tolerance)


def test_nonsense_in_the_address_changes_nothing(browser, three, tmp_path):
    page = tmp_path / "three.html"
    page.write_text(render_report(three, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page)
    before = browser.table("#desk-ranking")
    for fragment in (
        "#costs;cost.9.9=4;learner=77;miss=3",
        "#costs;reject=-1;cost.0.0=5",
        "#costs;cost.1=x;=;;reject=",
        "#costs;cost.-1.0=3;cost.0.-1=3;cost.0.1e-1=3;cost.length.0=3",
        "#%",
        "#%E0%A4%A",
    ):
        browser.open(page, fragment)
        assert browser.table("#desk-ranking") == before and browser.said == []


def typed(browser, name, text):
    browser.run(
        f"document.getElementById('desk-{name}').focus(); document.getElementById('desk-{name}').select()"
    )
    browser.ask("Input.insertText", text=text)


def test_a_number_that_is_typed_moves_every_other_knob(browser, two, tmp_path):
    page = tmp_path / "two.html"
    page.write_text(render_report(two, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page)
    browser.run("document.getElementById('desk-may-reject').click()")
    typed(browser, "miss", "4")
    value = "document.getElementById('desk-{}').value"
    assert browser.run(value.format("miss")) == "4"
    assert_allclose(float(browser.run(value.format("ratio"))), np.log10(4), atol=0.0051)
    assert (
        browser.text("#desk-threshold-out")
        == "0.200"
        == f"{float(browser.run(value.format('threshold'))):.3f}"
    )
    assert_allclose(float(browser.run(value.format("reject"))), 0.25 / 0.8, atol=0.0051)  # of 4 x 1 / (4 + 1)
    typed(browser, "miss", "-3")  # no cost: the last one counts, and comes back
    browser.run("document.getElementById('desk-alarm').focus()")
    assert browser.run(value.format("miss")) == "4" and "miss=4;" in browser.run("location.hash")


def test_costs_are_shown_and_kept_with_all_their_digits(browser, tmp_path):
    loss = {("benign", "malignant"): 12345.678, ("malignant", "benign"): 0.00012345}
    result = compare(["lda"], load_breast_cancer(), design="3-fold", loss=loss)
    page = tmp_path / "dear.html"
    page.write_text(render_report(result, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page)
    assert browser.run("document.getElementById('desk-miss').value") == "12345.678"
    assert float(browser.run("document.getElementById('desk-alarm').value")) == 0.00012345
    a = result.out_of_fold("lda")
    found = account(a.posterior, a.truth, loss_matrix(result), None)
    assert browser.table("#desk-ranking")[0][2] == f"{found.cost:.4f}"


def test_tiny_costs_are_not_shown_as_none(browser, tmp_path):
    result = compare(["lda", "majority"], load_breast_cancer(), design="3-fold",
                     loss={("benign", "malignant"): 3e-5, ("malignant", "benign"): 1e-5})  # fmt: skip
    page = tmp_path / "cheap.html"
    page.write_text(render_report(result, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page)
    a = result.out_of_fold("lda")
    found = account(a.posterior, a.truth, loss_matrix(result), None)
    assert_allclose(float(browser.table("#desk-ranking")[0][2]), found.cost, rtol=1e-3)


@pytest.mark.parametrize("alpha", [0.1, 0.01])
def test_the_desk_is_as_sure_as_the_page(browser, tmp_path, alpha):
    result = compare(["lda"], load_breast_cancer(), design="3-fold", alpha=alpha)
    page = tmp_path / "sure.html"
    page.write_text(render_report(result, learning_curves=False, explanations=False), encoding="utf-8")
    browser.open(page)
    wrong = (lambda a: a.posterior.argmax(axis=1) != a.truth)(result.out_of_fold("lda"))
    half = {0.1: 1.6449, 0.01: 2.5758}[alpha] * wrong.std() / np.sqrt(len(wrong))
    assert_allclose(float(browser.table("#desk-ranking")[0][3].removeprefix("± ")), half, atol=5.1e-5)
    assert f"{100 - 100 * alpha:g}%" in browser.text(".by-cost thead")


def test_the_table_at_a_few_costs_begins_with_the_costs_given():
    kinds = {"loss": {("benign", "malignant"): 5}, "reject": 0.2}
    for chosen in ({"loss"}, {"reject"}, {"loss", "reject"}):
        result = compare(["lda"], load_breast_cancer(), design="3-fold", **{k: kinds[k] for k in chosen})
        table = desk(result, pooled(result))["table"]
        assert table["heads"][0] == "the costs given"
        a = result.out_of_fold("lda")
        found = account(a.posterior, a.truth, loss_matrix(result), result.settings["reject"])
        assert table["rows"][0]["cells"][0]["cost"] == f"{found.cost:.4f}"
    X, y = load_breast_cancer()
    rows = compare(["lda"], X, y, design="3-fold", loss=np.ones((len(y), 2, 2)) - np.eye(2))
    assert "the costs given" not in desk(rows, pooled(rows))["table"]["heads"]
