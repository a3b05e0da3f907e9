"""Kernels of trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import assay
from assay.errors import DataError, ParameterError
from assay.kernels import Nystroem, SubsetTrees, Subtrees

LEAF = st.sampled_from("xy")
TREE = st.recursive(
    LEAF,
    lambda child: st.lists(child, min_size=1, max_size=3).map(lambda c: ("ab"[len(c) % 2], *c)),
    max_leaves=8,
)


def label(node):
    return node[0] if isinstance(node, tuple) else node


def children(node):
    return node[1:] if isinstance(node, tuple) else ()


def nodes(tree):
    yield tree
    for child in children(tree):
        yield from nodes(child)


def subset_by_the_book(u, v, decay):
    if (
        not children(u)
        or label(u) != label(v)
        or list(map(label, children(u))) != list(map(label, children(v)))
    ):
        return 0.0
    return decay * float(
        np.prod([1 + subset_by_the_book(a, b, decay) for a, b in zip(children(u), children(v))])
    )


@given(TREE, TREE, st.floats(0.1, 1.0))
def test_fragments_are_counted_by_pairs_of_nodes(a, b, decay):
    expected = sum(subset_by_the_book(u, v, decay) for u in nodes(a) for v in nodes(b))
    assert_allclose(SubsetTrees(decay=decay)([a], [b]).item(), expected, rtol=1e-10)


@given(TREE, TREE, st.floats(0.1, 1.0))
def test_subtrees_are_counted_whole(a, b, decay):
    expected = sum(decay ** len(list(nodes(u))) for u in nodes(a) for v in nodes(b) if u == v)
    assert_allclose(Subtrees(decay=decay)([a], [b]).item(), expected, rtol=1e-9)


@pytest.mark.capability("IML-13-21")
def test_a_sentence_of_the_paper():
    """Collins and Duffy (2001), figure 2: the noun phrase "the apple" has six fragments."""
    phrase = ("NP", ("D", "the"), ("N", "apple"))
    assert SubsetTrees(decay=1.0)([phrase]).item() == 6.0


TREES = [
    ("S", ("A", "x"), ("B", "y")),
    ("S", ("A", "x"), ("A", "y")),
    ("T", ("S", ("A", "x"), ("B", "z")), "y"),
    "x",
]


@pytest.mark.capability("DC-91")
@pytest.mark.parametrize("kernel", [SubsetTrees(), Subtrees(), Subtrees(decay=0.3)], ids=repr)
def test_kernel_matrices_of_trees_are_positive_semidefinite(kernel, tmp_path):
    K = kernel(TREES)
    assert (K == K.T).all() and np.linalg.eigvalsh(K)[0] > -1e-12
    assert_allclose(kernel.diagonal(TREES), np.diagonal(K))
    model = Nystroem(kernel, n_components=3, random_state=0).fit(TREES)
    assay.save(model, tmp_path / "model.assay")
    assert_allclose(assay.load(tmp_path / "model.assay").transform(TREES), model.transform(TREES), rtol=0)


def test_a_deep_tree_does_not_exhaust_the_stack():
    deep = "x"
    for _ in range(5000):
        deep = ("a", deep)
    assert Subtrees()([deep]).item() == 5001.0


def test_what_is_no_tree_is_refused():
    with pytest.raises(DataError, match="row 2 must be a tree"):
        Subtrees()([("a", "b"), (("a",), "b")])
    with pytest.raises(ParameterError, match="decay"):
        SubsetTrees(decay=2.0)
