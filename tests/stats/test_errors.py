"""Every error that the room raises belongs to Assay's tree, so a caller can tell it from an accident."""

import ast
import pathlib

import numpy as np

import assay.errors
import assay.stats
from assay.stats.checks import is_number, is_whole

ROOM = pathlib.Path(assay.stats.__file__).parent
OTHER = {"KeyError", "NotImplementedError"}  # a name that is not in a mapping; a method that a family lacks


def test_every_raise_is_of_the_tree():
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = ast.unparse(node.exc.func)
                assert name in assay.errors.__all__ or name in OTHER, (
                    f"{path.name}:{node.lineno} raises {name}"
                )


def test_a_number_is_finite_of_any_size_and_type():
    """Whole numbers of Python know no largest one; NumPy has no answer for those beyond 64 bits."""
    for value in (0, -1.5, 2**70, np.uint8(3), np.float32(0.5)):
        assert is_number(value)
    for value in (True, np.True_, np.nan, np.inf, 10**400, "1", None, [1], np.array(1)):
        assert not is_number(value)
    assert is_whole(2**70) and is_whole(3.0) and not is_whole(10**400) and not is_whole(2.5)
