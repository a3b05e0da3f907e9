"""assay network: learn, draw, query."""

import pytest

from assay.graphs import load_network, read_network


def test_a_built_in_network_is_asked(run):
    code, out, err = run("network", "sprinkler", "--given", "wet=yes", "--of", "rain")
    assert code == 0, err
    assert "rain given wet=yes" in out and "0.6269" in out
    code, out, _ = run("network", "sprinkler", "--given", "wet=yes", "--most-probable")
    assert code == 0 and "probability 0.4975" in out
    code, out, _ = run("network", "sprinkler", "--independent", "sprinkler", "rain", "--given", "cloudy=yes")
    assert code == 0 and "are independent given cloudy" in out


def test_a_table_is_learned_and_written(run, tmp_path):
    import pandas as pd

    rows = tmp_path / "rows.csv"
    pd.DataFrame(load_network("rain or sprinkler").sample(3000, random_state=1)).to_csv(rows, index=False)
    for name in ("net.bif", "net.json", "net.xml", "net.svg", "net.dot", "net.html", "net.assay"):
        code, out, err = run(
            "network", rows, "--tier", "rain,sprinkler", "--tier", "wet", "-o", tmp_path / name
        )
        assert code == 0, err
        assert "2 arcs (polytree)" in out and (tmp_path / name).stat().st_size > 100
    network = read_network(tmp_path / "net.bif")
    assert set(network.arcs) == {("rain", "wet"), ("sprinkler", "wet")}
    code, out, err = run("network", tmp_path / "net.assay", "--of", "wet", "--given", "rain=yes")
    assert code == 0 and "wet given rain=yes" in out, err
    code, out, _ = run("network", tmp_path / "net.bif", "--of", "wet", "--given", "rain=yes")
    assert code == 0 and "wet given rain=yes" in out
    code, out, _ = run(
        "network", rows, "--strength", "5", "--learn", "hill climbing", "--of", "wet", "--explain"
    )
    assert code == 0 and "strength" in out and "Weight of the evidence" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["asai"], "Did you mean asia"),
        (["asia", "--given", "smoke=maybe"], "no state 'maybe'"),
        (["asia", "--given", "smoke"], "should look like smoke=yes"),
        (["asia", "--given", "smoke=yes", "--given", "smoke=no"], "smoke cannot be yes and no at once"),
        (["asia", "--of", "smok"], "Did you mean smoke?"),
        (["asia", "--require", "a:b"], "is a network"),
        (["asia", "-o", "x.png"], "should end in"),
        (["zebra"], "no built-in data set"),
        (["iris"], "--cuts"),
        (["asia", "--given", "either=yes", "--given", "lung=no", "--given", "tub=no"], "probability 0"),
    ],
)
def test_wrong_questions_end_in_a_sentence(run, options, words):
    code, _, err = run("network", *options)
    assert code == 2 and words in err and "Traceback" not in err


def test_a_malformed_file_says_line_and_reason(run, tmp_path):
    path = tmp_path / "wrong.bif"
    path.write_text("network x { }\nvariable a { type discrete [ 2 ] { yes }; }\n")
    code, _, err = run("network", path)
    assert code == 2 and "line 2" in err and "2 states" in err


def test_missing_values_are_a_state_or_summed_out(run, tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b\n" + "x,u\n,u\ny,v\ny,\n" * 40)
    code, out, err = run("network", rows)
    assert code == 0 and "missing" in out, err
    code, out, err = run("network", rows, "--missing", "em")
    assert code == 0 and "missing" not in out and "1 arc" in out, err


def test_a_model_file_is_opened_if_it_holds_a_network(run, tmp_path):
    from assay import save
    from assay.bayes import GaussianNB
    from assay.graphs import TANClassifier
    from assay.tables.data import load_weather

    data = load_weather()
    save(TANClassifier().fit(data.X, data.y), tmp_path / "tan.assay")
    code, out, err = run("network", tmp_path / "tan.assay", "--of", "outlook")
    assert code == 0 and "P(outlook | class)" in out, err
    save(GaussianNB().fit([[0.0], [1.0]], [0, 1]), tmp_path / "other.assay")
    code, _, err = run("network", tmp_path / "other.assay")
    assert code == 2 and "GaussianNB, which is no Bayesian network" in err
