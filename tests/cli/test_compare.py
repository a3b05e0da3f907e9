"""assay compare."""

from assay.cli import main
from assay.tables import write_arff


def test_weights_of_rows_are_not_left_out_in_silence(tmp_path, capsys):
    path = tmp_path / "weighed.arff"
    write_arff({"x": list(range(20))}, path, y=["a", "b"] * 10, weights=[2.0] * 20)
    main(["compare", str(path), "--design", "2-fold", "--learners", "majority"])
    said = capsys.readouterr()
    assert "weights of the rows of weighed.arff are left out" in said.err
    assert "majority" in said.out
