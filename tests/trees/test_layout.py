"""Where nodes stand: leaves side by side, parents over their children, large trees cut with a count."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.tables import Column, Schema
from assay.trees.layout import FAN, lay_out
from assay.trees.outline import outline_of
from assay.trees.tree import Tree


@st.composite
def outlines(draw):
    def node(level):
        if level and (level > 5 or draw(st.booleans())):
            return {"value": 1.0, "n": draw(st.integers(1, 9))}
        return {"feature": 0, "threshold": 0.0, "children": [node(level + 1), node(level + 1)]}

    return outline_of(Tree.of(node(0), [0]), Schema.numeric(1))


@settings(max_examples=60, deadline=None)
@given(outlines(), st.integers(2, 20))
def test_drawn_and_hidden_nodes_are_all_nodes(outline, max_leaves):
    layout = lay_out(outline, max_leaves)
    assert layout.leaves <= max_leaves
    assert len(layout.places) + layout.hidden == len(outline.nodes)
    assert layout.hidden == sum(p.hidden for p in layout.places)
    ends = sorted(p.breadth for p in layout.places if not p.inner)
    assert ends == list(range(layout.leaves))


@settings(max_examples=60, deadline=None)
@given(outlines())
def test_parents_stand_over_the_middle_of_their_children(outline):
    places = lay_out(outline, 10**6).places
    for k, place in enumerate(places):
        below = [p.breadth for p in places if p.parent == k]
        if below:
            assert place.breadth == (min(below) + max(below)) / 2
    for level in range(max(p.depth for p in places) + 1):
        row = [p.breadth for p in places if p.depth == level]
        assert (np.diff(row) >= 1).all()  # nothing overlaps, and the order stays


def test_the_heaviest_branches_are_drawn_first():
    def pair(a, b):
        return {"feature": 0, "threshold": 0.0, "children": [{"value": 1, "n": a}, {"value": 2, "n": b}]}

    tree = Tree.of({"feature": 0, "threshold": 0.0, "children": [pair(1, 2), pair(50, 60)]}, [0])
    layout = lay_out(outline_of(tree, Schema.numeric(1)), max_leaves=3)
    assert [p.node for p in layout.places] == [0, 1, 4, 5, 6]
    assert layout.places[1].hidden == 2 and layout.hidden == 2


def test_of_very_many_branches_the_rest_is_counted():
    r = 100
    tree = Tree.of({"feature": 0, "children": [{"value": c, "n": c + 1} for c in range(r)]}, [r])
    schema = Schema([Column("town", "nominal", tuple(f"t{c}" for c in range(r)))])
    layout = lay_out(outline_of(tree, schema), max_leaves=20)
    notes = [p for p in layout.places if p.note]
    assert len(layout.places) == FAN + 1 and [p.hidden for p in notes] == [r - FAN + 1]
    assert layout.places[1].label == f"t{r - FAN + 1}"  # the heaviest, in their own order


def test_depth_limit():
    tree = Tree.of(
        {"feature": 0, "threshold": 0.0, "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}]}, [0]
    )
    layout = lay_out(outline_of(tree, Schema.numeric(1)), max_depth=0)
    assert [(p.node, p.hidden) for p in layout.places] == [(0, 2)]
