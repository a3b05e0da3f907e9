"""What the tests of commands share."""

import pytest

from assay.cli import main


@pytest.fixture
def run(capsys):
    """Call a command; returns (exit code, standard output, standard error)."""

    def call(*args):
        try:
            main([str(a) for a in args])
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        said = capsys.readouterr()
        return code, said.out, said.err

    return call
