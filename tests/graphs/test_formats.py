"""Network files: round trips bit for bit, and malformed files with line and reason."""

import contextlib
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import AssayError, DataError, ReadError
from assay.graphs import (
    BayesianNetwork,
    LinearGaussianConditional,
    LogisticConditional,
    MarkovField,
    Node,
    NoisyOrConditional,
    SoftmaxConditional,
    formats,
    load_network,
    read_field,
    read_network,
    write_network,
)
from assay.graphs.classic import NETWORKS
from assay.graphs.formats import FORMATS


def awkward():
    """States and names that other readers stumble over, and tables with all their digits."""
    rng = np.random.default_rng(0)
    return BayesianNetwork(
        [
            Node("table", ["<5", "None", "more than 5"], rng.dirichlet(np.ones(3))),
            Node("a b; {c}", ["table", 'quo"ted', "|"], rng.dirichlet(np.ones(3), 3), ["table"]),
            Node("x-ray", ["+", "-"], rng.dirichlet(np.ones(2), 9), ["a b; {c}", "table"]),
        ]
    )


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", [*NETWORKS, "awkward"])
def test_a_network_comes_back_bit_for_bit(kind, name, tmp_path):
    network = awkward() if name == "awkward" else load_network(name)
    path = tmp_path / f"network.{'xml' if kind == 'xmlbif' else kind}"
    write_network(network, path)
    again = read_network(path)
    for i, node in enumerate(network.nodes):
        other = again.nodes[i]
        assert np.array_equal(again.table(other.name), network.table(node.name))
        if kind != "uai":
            assert other.name == node.name and [str(s) for s in other.states] == [str(s) for s in node.states]
            assert list(other.parents) == list(node.parents)
    write_network(again, tmp_path / f"again.{path.suffix}", kind)
    assert (tmp_path / f"again.{path.suffix}").read_text() == path.read_text()


def test_json_holds_every_conditional_and_gz_is_read(tmp_path):
    network = BayesianNetwork(
        [
            Node("a", ["no", "yes"], [0.3, 0.7]),
            Node("b", ["no", "yes"], LogisticConditional([1 / 3], 0.1), ["a"]),
            Node("c", [0, 1, 2], SoftmaxConditional([[0.0], [0.1], [0.2]], [0.0, 1.0, 2.0]), ["a"]),
            Node("d", ["no", "yes"], NoisyOrConditional([0.1, 0.2], 0.05), ["a", "b"]),
            Node("x", None, LinearGaussianConditional([0.0, 1 / 7], (), [1.0, 2.0]), ["a"]),
        ]
    )
    write_network(network, tmp_path / "n.json.gz")
    again = read_network(tmp_path / "n.json.gz")
    for node, other in zip(network.nodes, again.nodes):
        assert type(node.conditional) is type(other.conditional)
        for field in ("values", "weights", "failures", "intercept", "variance", "leak"):
            if hasattr(node.conditional, field):
                assert np.array_equal(getattr(node.conditional, field), getattr(other.conditional, field))
    with pytest.raises(DataError, match=r"Write a \.json"):
        write_network(network, tmp_path / "n.bif")


def test_states_that_begin_with_a_comparison_are_read(tmp_path):
    """As the published file of the child network has them."""
    path = tmp_path / "a.bif"
    path.write_text(
        "network x { } variable a { type discrete [ 2 ] { <7.5, >=7.5 }; } probability ( a ) { table 0.3, 0.7; }"
    )
    assert list(read_network(path)["a"].states) == ["<7.5", ">=7.5"]


@pytest.mark.parametrize(
    ("name", "nodes", "arcs", "parameters"),
    [
        ("sachs", 11, 17, 178),
        ("child", 20, 25, 230),
        ("alarm", 37, 46, 509),
        ("insurance", 27, 52, 1008),
        ("hailfinder", 56, 66, 2656),
    ],
)
def test_the_larger_classic_networks_have_their_published_sizes(name, nodes, arcs, parameters):
    """Oracle: the sizes that the Bayesian network repository gives."""
    network = load_network(name)
    assert (len(network), len(network.arcs), network.n_parameters) == (nodes, arcs, parameters)


GOOD = """network x { }
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 2 ] { yes, no }; }
probability ( a ) { table 0.2, 0.8; }
probability ( b | a ) { (yes) 0.5, 0.5; (no) 0.1, 0.9; }
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("[ 2 ] { yes, no }; }\nvariable b", "[ 3 ] { yes, no }; }\nvariable b", 2, "3 states"),
        ("0.2, 0.8", "0.2, 0.9", 4, "sum to 1"),
        ("0.2, 0.8", "0.2, zebra", 4, "number"),
        ("0.2, 0.8", "0.2, nan", 4, "finite"),
        ("( a )", "( c )", 4, "no variable"),
        ("(no) 0.1", "(maybe) 0.1", 5, "no state 'maybe'"),
        (" (no) 0.1, 0.9;", "", 5, "lack"),
        ("variable b", "variable a", 3, "twice"),
        ("(no) 0.1, 0.9;", "(no) 0.1, 0.9;\n(yes) 0.2, 0.8;", 6, r"row \(yes\) of 'b' occurs twice"),
        ("( b | a )", "( b | b )", 5, "other variables, each once"),
        (
            "( a ) { table 0.2, 0.8; }",
            "( a | b ) { (yes) 0.5, 0.5; (no) 0.5, 0.5; }",
            4,
            "b -> a -> b form a cycle|a -> b -> a form",
        ),
        ("probability ( a ) { table 0.2, 0.8; }\n", "", 5, "no probabilities"),
        ("(no) 0.1, 0.9; }", "(no) 0.1, 0.9;", 6, "ends where"),
        ("network", "nonsense", 1, "expected network"),
        ("type discrete [ 2 ] { yes, no }; }\nprob", "type continuous; }\nprob", 3, "discrete"),
        ("yes, no }; }\nvariable b", '"yes, no }; }\nvariable b', 2, "does not end"),
    ],
)
def test_malformed_bif_files_say_line_and_reason(old, new, line, reason, tmp_path):
    path = tmp_path / "wrong.bif"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(ReadError, match=rf"line {line}\b.*{reason}"):
        read_network(path)


JSON = """{"format": "assay network 1", "nodes": [
  {"name": "a", "states": ["x", "y"], "parents": [], "conditional": {"kind": "table", "values": [0.2, 0.8]}}]}"""


XML = """<?xml version="1.0" encoding="ISO-8859-1"?><BIF><NETWORK><VARIABLE><NAME>caf\u00e9</NAME><OUTCOME>y</OUTCOME>
<OUTCOME>n</OUTCOME></VARIABLE><DEFINITION><FOR>caf\u00e9</FOR><TABLE>0.2 0.8</TABLE></DEFINITION></NETWORK></BIF>"""
DSC = """belief network
node a { type : discrete [ 2 ] = { "yes", "no" }; } node b { type : discrete [ 2 ] = { "1", "0" }; }
probability ( a ) { 0.2, 0.8; }
probability ( b | a ) { (0) : 0.5, 0.5; (1) : 0.1, 0.9; }
"""


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.uai", "BAYES\n1\n2\n1\n1 0\n2\n0.5 zebra", "line 7.*number"),
        ("a.uai", "BAYES\n1\n2\n1\n1 0\n3\n0.5 0.5 0", "line 6.*3 entries"),
        ("a.uai", "NONSENSE", "line 1.*BAYES"),
        ("a.uai", "BAYES\n2\n2 2\n2\n1 0\n1 1\n2\n.2 .9\n2\n.5 .5", "line 7.*sum to 1"),
        ("a.uai", "BAYES\n5\u00b36", "line 2.*whole number"),
        ("a.uai", "BAYES\n99999999", "line 2.*from 1 to"),
        ("a.uai", "MARKOV\n1\n2\n0", "read_field"),
        ("a.json", '{"format": "x"}', "line 1.*no network"),
        ("a.json", "{\n\n,}", "line 3.*no JSON"),
        ("a.json", '{"format": "assay network 1", "nodes": [{"name": "a", "conditional": {"kind": "x"}}]}', "one of"),
        ("a.json", JSON.replace("0.8", "0.9"), "line 2.*sum to 1"),
        ("a.json", JSON.replace('[], "cond', '["a"], "cond'), "line 2.*each once"),
        ("a.uai", "BAYES\n2\n2 2\n2\n2 1 0\n2 0 1\n4\n.2 .8 .5 .5\n4\n.1 .9 .5 .5", "line 7.*form a cycle"),
        ("a.xml", "<BIF><NETWORK>", "line 1.*XML"),
        ("a.xml", '<!DOCTYPE BIF [<!ENTITY a "b">]><BIF></BIF>', "entity"),
        ("a.xml", "<BIF><NETWORK><VARIABLE><NAME>a</NAME></VARIABLE></NETWORK></BIF>", "no states"),
        ("a.dsc", "node a { type : discrete [ 2 ] = { \"x\" }; }", "line 1.*2 states"),
        ("a.dsc", "zebra", "line 1.*expected belief"),
        ("a.bif", "", "no variables"),
        ("a.bif", GOOD.replace("0.2, 0.8", "0_2, 0.8"), "line 4.*expected a number, got '0_2'"),
        ("a.uai", "BAYES\n" + "9" * 5000, "line 2.*the number of variables.*got '9+'"),
        ("a.uai", "BAYES\n1\n2147483648\n0", "more than 1,048,576 states"),
        ("a.uai", "BAYES\n1\n2\n0", "no table ends with variable 0"),
        ("a.json", JSON.replace("0.8", "9" * 5000), "too many digits"),
        ("a.json", JSON.replace("0.8", "9" * 400), "line 2.*do not fit together"),
        ("a.json", JSON.replace('"table"', '["table"]'), "line 2.*one of table"),
        ("a.json", JSON.replace('["x", "y"]', "null"), "line 2.*is for numbers"),
        ("a.xml", XML.replace("0.2", "1e999"), "line 2.*not finite"),
        ("a.dsc", DSC.replace("(1)", "(\u00b2)"), "line 4.*no state '\u00b2'"),
        ("a.dsc", DSC.replace("(1)", "(" + "1" * 5000 + ")"), "line 4.*no state '1+'"),
    ],
)  # fmt: skip
def test_other_malformed_files_say_line_and_reason(name, text, words, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ReadError, match=words):
        read_network(path)


def test_cycles_in_a_file_are_named(tmp_path):
    path = tmp_path / "cycle.bif"
    path.write_text(GOOD.replace("( a ) { table 0.2, 0.8; }", "( a | b ) { (yes) 0.5, 0.5; (no) 0.5, 0.5; }"))
    with pytest.raises(ReadError, match="cycle"):
        read_network(path)


@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=40)
@given(
    edits=st.lists(
        st.tuples(
            st.floats(0, 1),
            st.integers(0, 30),
            st.sampled_from(
                ["", "{", "}", "(", ")", "|", ",", ";", '"', "9" * 30, "-1", "nan", "1e999", "<a>", "\u00b3"]
            ),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_mutated_files_of_every_format_end_in_a_sentence(tmp_path_factory, kind, edits):
    path = tmp_path_factory.getbasetemp() / f"mutated.{'xml' if kind == 'xmlbif' else kind}"
    write_network(load_network("survey"), path)
    text = path.read_text()
    for share, length, new in edits:
        at = int(share * len(text))
        text = text[:at] + new + text[at + length :]
    path.write_text(text)
    with contextlib.suppress(AssayError):
        read_network(path).marginals()


@settings(max_examples=60)
@given(cut=st.integers(0, len(GOOD) - 2), noise=st.text('{}()|,;.01ab\n"', max_size=3))
def test_no_damaged_file_does_more_than_raise(tmp_path_factory, cut, noise):
    path = tmp_path_factory.getbasetemp() / "damaged.bif"
    path.write_text(GOOD[:cut] + noise + GOOD[cut + 1 :])
    with contextlib.suppress(AssayError):
        read_network(path)


def test_fields_are_read_from_uai_files(tmp_path):
    path = tmp_path / "chain.uai"
    path.write_text("MARKOV\n3\n2 2 2\n2\n2 0 1\n2 1 2\n4\n2 1 1 2\n4\n2 1 1 2\n")
    field = read_field(path)
    assert isinstance(field, MarkovField) and round(field.partition_function, 9) == 18


def test_a_conditional_table_of_bif_runs_through_the_parents_first(tmp_path):
    """Cozman's description: P(light-on | family-out) as 0.6 0.05 0.4 0.95."""
    path = tmp_path / "dog.bif"
    path.write_text(GOOD.replace("{ (yes) 0.5, 0.5; (no) 0.1, 0.9; }", "{ table 0.6 0.05 0.4 0.95; }"))
    assert np.allclose(read_network(path).table("b"), [[0.6, 0.4], [0.05, 0.95]])


def test_xmlbif_is_readable_where_document_types_are_not(tmp_path):
    """pyAgrum, which calls such files .bifxml, stops at a document type."""
    network = load_network("cancer")
    network.write(tmp_path / "cancer.bifxml")
    assert "<!" not in (tmp_path / "cancer.bifxml").read_text()
    assert str(read_network(tmp_path / "cancer.bifxml")) == str(network)


@pytest.mark.parametrize("coding", ["utf-8", "latin-1", "utf-16"])
@pytest.mark.parametrize("declared", ["utf-8", "ISO-8859-1", "US-ASCII"])
def test_names_are_read_in_the_encoding_of_the_file(coding, declared, tmp_path):
    """Whatever the first line of the XML says."""
    (tmp_path / "a.xml").write_bytes(XML.replace("ISO-8859-1", declared).encode(coding))
    assert read_network(tmp_path / "a.xml").names == ["caf\u00e9"]


@pytest.mark.parametrize("read", [read_network, read_field])
def test_files_are_unpacked_up_to_a_limit(read, tmp_path, monkeypatch):
    """A file of a few bytes that unpacks to many is refused before it is unpacked."""
    monkeypatch.setattr(formats, "MOST_BYTES", 1000)
    path = tmp_path / "a.uai.gz"
    path.write_bytes(gzip.compress(b"BAYES\n1\n2\n1\n1 0\n2\n.5 .5" + b" " * 900))
    assert len(read(path).nodes) == 1
    path.write_bytes(gzip.compress(b" " * 100_000))
    with pytest.raises(ReadError, match="more than 1,000 bytes"):
        read(path)
    with pytest.raises(ReadError, match=r"cannot be read: No such file"):
        read(tmp_path / "none.uai")
