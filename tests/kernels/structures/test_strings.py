"""Kernels of strings and documents."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.feature_extraction.text import TfidfVectorizer

import assay
from assay.errors import DataError, ParameterError
from assay.kernels import (
    BagOfWords,
    EditSimilarity,
    Mismatch,
    Nystroem,
    Spectrum,
    Subsequences,
    align,
    edit_distance,
    edit_distances,
)

WORDS = st.text("abc", max_size=9)
TEXTS = ["statistics", "computation", "", "a", "statistician", "kitten", "sitting", "naïve café"]


def smallest_eigenvalue(K):
    return np.linalg.eigvalsh(K)[0] / max(np.abs(K).max(), 1e-300)


# Documents


@pytest.mark.capability("IML-13-19")
def test_documents_share_distinct_words():
    """Oracle: IML 13.7, two documents that share "sat"."""
    kernel = BagOfWords(stop_words=("the", "on"))
    assert kernel(["the cat sat on the mat"], ["the dog sat"]).tolist() == [[1.0]]
    assert BagOfWords()(["The cat. The CAT!"], ["the cat"]).tolist() == [[2.0]]
    assert BagOfWords("counts")(["The cat. The CAT!"], ["the cat"]).tolist() == [[4.0]]
    assert BagOfWords()([["the", "cat"]], ["the cat"]).tolist() == [[2.0]]


def test_rare_words_weigh_what_scikit_learn_says():
    """Peer: TfidfVectorizer, scikit-learn 1.9, rows not scaled to length 1."""
    documents = ["one two two", "two three", "four five four one", "two"]
    peer = TfidfVectorizer(norm=None).fit(documents)
    kernel = BagOfWords("tf-idf").learn(documents)
    Z = peer.transform(documents)
    assert_allclose(kernel(documents), (Z @ Z.T).toarray(), rtol=1e-12)
    cosine = kernel.normalized()(documents)
    assert_allclose(np.diagonal(cosine), 1.0)
    assert kernel(["unseen words"], ["unseen"]).item() == pytest.approx((np.log(5) + 1) ** 2)
    with pytest.raises(ParameterError, match="learn"):
        BagOfWords("tf-idf")(documents)


# Edit distance


def edit_by_the_book(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, before = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
    return row[-1]


@pytest.mark.capability("IML-13-20")
@pytest.mark.capability("IML-7-25")
def test_kitten_becomes_sitting_in_three_steps():
    """Oracle: IML 13.7."""
    assert edit_distance("kitten", "sitting") == 3
    assert EditSimilarity()(["kitten", ""], ["sitting", ""]).tolist() == [[1 - 3 / 7, 0.0], [0.0, 1.0]]


@given(WORDS, WORDS)
def test_an_edit_distance_is_that_of_the_table(a, b):
    distance = edit_by_the_book(a, b)
    assert edit_distance(a, b) == distance
    for limit in range(10):
        assert edit_distance(a, b, limit) == min(distance, limit + 1)
    alignment = align(a, b)
    assert alignment.distance == distance == sum(x != y for x, y in alignment.pairs)
    assert (
        "".join(x for x, _ in alignment.pairs if x) == a and "".join(y for _, y in alignment.pairs if y) == b
    )


@pytest.mark.parametrize("length", [63, 64, 65, 128, 200])
def test_long_strings_take_several_words_of_bits(length):
    random = np.random.default_rng(length)
    A = ["".join(random.choice(list("abcd"), length)) for _ in range(4)]
    B = ["".join(random.choice(list("abcd"), n)) for n in (1, 63, 64, 65, 130)]
    assert edit_distances(A, B).tolist() == [[edit_by_the_book(a, b) for b in B] for a in A]


def test_sequences_of_any_items_are_compared():
    assert edit_distance([1, 2, 3], (1, 3)) == 1 and edit_distance(["ab", "c"], ["ab", "d"]) == 1
    with pytest.raises(DataError, match="row 2 must be a string"):
        edit_distances(["a", 3], ["b"])


# Shared substrings and subsequences


@pytest.mark.capability("IML-13-21")
def test_substrings_shared_by_statistics_and_computation():
    """Oracle: IML 13.7, counted by hand."""
    assert [Spectrum(p)(["statistics"], ["computation"]).item() for p in (2, 3)] == [4.0, 2.0]


def spectrum_by_the_book(a, b, p):
    grams = [[s[i : i + p] for i in range(len(s) - p + 1)] for s in (a, b)]
    return sum(grams[0].count(u) * grams[1].count(u) for u in set(grams[0]))


@given(WORDS, WORDS, st.integers(1, 4))
def test_a_spectrum_counts_equal_substrings(a, b, p):
    assert Spectrum(p)([a], [b]).item() == spectrum_by_the_book(a, b, p)
    blended = sum(spectrum_by_the_book(a, b, q) for q in range(1, p + 1))
    assert Spectrum(p, blended=True)([a], [b]).item() == blended


def subsequences_by_the_book(a, b, n, decay):
    sums = [{}, {}]
    for s, sum_of in zip((a, b), sums):
        for places in itertools.combinations(range(len(s)), n):
            u = tuple(s[i] for i in places)
            sum_of[u] = sum_of.get(u, 0.0) + decay ** (places[-1] - places[0] + 1)
    return sum(value * sums[1].get(u, 0.0) for u, value in sums[0].items())


@given(WORDS, WORDS, st.integers(1, 4), st.floats(0.1, 1.0))
def test_subsequences_count_gaps(a, b, n, decay):
    kernel = Subsequences(n, decay=decay)
    assert_allclose(kernel([a], [b]).item(), subsequences_by_the_book(a, b, n, decay), rtol=1e-10)


def mismatch_by_the_book(a, b, k, m, letters):
    """Every word of the alphabet, and how many substrings are near it."""
    total = 0
    for word in itertools.product(letters, repeat=k):
        near = [
            sum(sum(x != y for x, y in zip(s[i : i + k], word)) <= m for i in range(len(s) - k + 1))
            for s in (a, b)
        ]
        total += near[0] * near[1]
    return total


@given(
    st.text("abc", max_size=9),
    st.text("abc", max_size=9),
    st.sampled_from([(1, 0), (2, 1), (3, 1), (3, 2), (4, 1), (4, 2), (4, 3)]),
    st.sampled_from(["abc", "abcde"]),
)
def test_mismatches_count_near_words_of_the_alphabet(a, b, size, letters):
    k, m = size
    kernel = Mismatch(k, m, alphabet=len(letters))
    assert kernel([a], [b]).item() == mismatch_by_the_book(a, b, k, m, letters)


def test_mismatches_learn_the_alphabet_and_are_a_spectrum_without_any():
    assert Mismatch(3, 1).learn(["abca", "d"])(["abca"], ["abda"]) == Mismatch(3, 1, alphabet=4)(
        ["abca"], ["abda"]
    )
    assert_allclose(Mismatch(3, 0, alphabet=9)(TEXTS), Spectrum(3)(TEXTS), rtol=0)
    with pytest.raises(ParameterError, match="give their number, or fit the kernel"):
        Mismatch(3, 1)(["abc"])


@pytest.mark.capability("DC-91")
@pytest.mark.parametrize(
    "kernel",
    [
        Mismatch(3, 1, alphabet=26),
        Mismatch(4, 2, alphabet=5),
        Spectrum(2),
        Spectrum(3, blended=True),
        Subsequences(2),
        BagOfWords(),
        BagOfWords("counts"),
    ],
    ids=repr,
)
def test_kernel_matrices_of_strings_are_positive_semidefinite(kernel):
    K = kernel(TEXTS)
    assert_allclose(K, kernel(TEXTS, list(TEXTS)), rtol=1e-12)
    assert (K == K.T).all() and smallest_eigenvalue(K) > -1e-10
    assert_allclose(kernel.diagonal(TEXTS), np.diagonal(K), rtol=1e-12)
    coef = np.arange(16.0).reshape(8, 2) - 7
    assert_allclose(kernel.combine(TEXTS, TEXTS, coef), K @ coef, atol=1e-9)
    rows = np.empty((2, 8))
    kernel.gram_rows(np.array(TEXTS, dtype=object)).fill(np.array([1, 4]), None, rows)
    assert_allclose(rows, K[[1, 4]], rtol=1e-12)


def test_kernels_of_strings_add_multiply_and_are_normalised():
    both = (Spectrum(2).normalized() + 0.5 * BagOfWords()) * Spectrum(1)
    spectrum, K = Spectrum(2)(TEXTS[:2]), both(TEXTS[:2])
    d = np.sqrt(np.diagonal(spectrum))
    assert_allclose(K, (spectrum / np.outer(d, d) + 0.5 * BagOfWords()(TEXTS[:2])) * Spectrum(1)(TEXTS[:2]))


@pytest.mark.parametrize(
    "kernel", [Spectrum(2), Mismatch(3, 1), Subsequences(2), BagOfWords("tf-idf"), EditSimilarity()], ids=repr
)
def test_a_machine_on_strings_is_saved_with_its_landmarks(kernel, tmp_path):
    model = Nystroem(kernel, n_components=4, random_state=0).fit(TEXTS)
    assay.save(model, tmp_path / "model.assay")
    back = assay.load(tmp_path / "model.assay")
    assert_allclose(back.transform(TEXTS), model.transform(TEXTS), rtol=0)
    assert back.kernel_ == model.kernel_


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Spectrum(0), "p must be a whole number from 1"),
        (lambda: Mismatch(3, 3), "m must be below k"),
        (lambda: Mismatch(3, -1), "m must be a whole number from 0"),
        (lambda: Mismatch(3, 1, alphabet=0), "alphabet must be a whole number from 1"),
        (lambda: Mismatch(40, 9), "patterns of each substring"),
        (lambda: Subsequences(2, decay=0.0), "decay must be"),
        (lambda: Subsequences(1.5), "length must be"),
        (lambda: BagOfWords("tfidf"), "weights must be one of"),
        (lambda: BagOfWords(stop_words="german"), "stop_words"),
        (lambda: Spectrum(2)("abc"), "a sequence"),
        (lambda: Spectrum(2)([1.5, 2.5]), "row 1 must be a string"),
        (lambda: BagOfWords()([1.5]), "document 1 must be a text"),
    ],
)
def test_what_is_wrong_is_said(make, words):
    with pytest.raises((ParameterError, DataError), match=words):
        make()
