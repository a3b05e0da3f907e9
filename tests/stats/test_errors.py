"""Every error that the room raises belongs to Assay's tree, so a caller can tell it from an accident."""

import ast
import pathlib

import assay.errors
import assay.stats

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
