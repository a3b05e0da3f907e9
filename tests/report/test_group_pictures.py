"""Linked pictures of groups: what is drawn of which table, and that a group is the same one in all of them."""

import re

import numpy as np
import pytest

from assay.cluster import AgglomerativeClustering, KMeans, merge_rows
from assay.report import group_pictures as pictures
from assay.report.group_pictures import group_pictures
from assay.tables import Table

draw = np.random.default_rng(0)
X = np.concatenate([draw.normal(m, 1, (20, 3)) for m in (0, 6, 12)])


def test_a_group_has_one_class_in_all_pictures_and_fades_the_others():
    model = KMeans(3, random_state=0).fit(X)
    page = group_pictures(X, model.labels_, history=model.history_)
    parts = page.split("<figure>")[1:]
    assert len(parts) == 4  # map, silhouettes, tree, iterations
    for part in parts[:3]:
        assert {int(g) for g in re.findall(r"of-group g(\d)", part)} == {0, 1, 2}
    assert "of-group" not in parts[3] and "150" not in parts[3]
    for g in range(3):
        assert f".pictures:has(.g{g}:hover, .g{g}:focus) .of-group:not(.g{g})" in page
    assert "<script" not in page


def test_brackets_have_the_colour_of_the_rows_below_them():
    """Three clear groups: 59 merges, shown by 39 brackets; the last two join groups and have no colour."""
    tree = merge_rows(X)
    page, words = pictures._tree(tree, np.repeat([0, 1, 2], 20), ["a", "b", "c"], "merges")
    assert page.count("<path") == 39 and page.count('class="curve k6"') == 2 and words == "merges"
    assert page.count("of them of group") == 37
    few = merge_rows(X[:2])
    assert pictures._tree(few, np.array([0, -1]), ["a"], "")[0].count("<path") == 1


def test_silhouettes_stand_sorted_beside_each_other():
    page, words = pictures._silhouettes(X, np.repeat([0, 1, -1], 20), ["a", "b", "c"], "euclidean")
    assert page.count('class="band') == 2 and "group a, 20 rows" in page and "group c" not in page
    assert "silhouettes, mean 0.8" in words
    assert pictures._silhouettes(X, np.zeros(60, int), ["a"], "euclidean") == ("", "")


def test_incomplete_tables_of_mixed_kinds_and_many_rows():
    table = Table.of(
        {"a": [1.0, None, 2.0, 40.0, 41.0, None], "b": ["x", "x", None, "y", "y", "y"]}, who="test"
    )
    page = group_pictures(table, [0, 0, 0, 1, 1, 1])
    assert page.count("<svg") == 2 and "average linkage" in page
    many = np.repeat(X, 40, axis=0)
    page = group_pictures(many, np.repeat([0, 1, 2], 800))
    assert "1000 rows drawn at random" in page and len(page) < 100_000


@pytest.mark.parametrize("labels", [[0] * 60, [-1] * 60, [-1] * 30 + [4] * 30])
def test_fewer_than_two_groups_have_no_pictures(labels):
    assert group_pictures(X, labels) == ""


def test_names_are_escaped_and_the_tree_of_the_learner_is_drawn():
    model = AgglomerativeClustering(2, linkage="single").fit(X)
    page = group_pictures(X, np.where(model.labels_ == 0, "<b>", "a & b"), model.tree_)
    assert "<b>" not in page and "&lt;b&gt;" in page and "The merges that made the groups" in page
