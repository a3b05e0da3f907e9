"""Networks of the literature, by their published tables: small ones here, larger ones in files beside."""

from __future__ import annotations

from functools import partial
from importlib.resources import files
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node

__all__ = ["NETWORKS", "load_network"]

YES = ("yes", "no")


def _yes(name: str, chances: Any, parents: tuple[str, ...] = (), states: tuple[str, str] = YES) -> Node:
    """A node of two states by the probability of the first, for each configuration of its parents."""
    listed = chances if isinstance(chances, (list, tuple)) else [chances]
    return Node(name, states, [[p, round(1 - p, 12)] for p in listed], parents)


def _rain() -> list[Node]:
    return [_yes("rain", 0.4), _yes("wet", [0.9, 0.2], ("rain",))]


def _chain() -> list[Node]:
    return [_yes("cloudy", 0.4), _yes("rain", [0.8, 0.1], ("cloudy",)), _yes("wet", [0.9, 0.2], ("rain",))]


def _fork() -> list[Node]:
    return [
        _yes("cloudy", 0.5),
        _yes("sprinkler", [0.1, 0.5], ("cloudy",)),
        _yes("rain", [0.8, 0.1], ("cloudy",)),
    ]


def _collider() -> list[Node]:
    wet = _yes("wet", [0.95, 0.90, 0.90, 0.10], ("rain", "sprinkler"))
    return [_yes("rain", 0.4), _yes("sprinkler", 0.2), wet]


def _sprinkler() -> list[Node]:
    wet = _yes("wet", [0.95, 0.90, 0.90, 0.10], ("sprinkler", "rain"))
    return [*_fork(), wet]


def _asia() -> list[Node]:
    return [
        _yes("asia", 0.01),
        _yes("tub", [0.05, 0.01], ("asia",)),
        _yes("smoke", 0.5),
        _yes("lung", [0.1, 0.01], ("smoke",)),
        _yes("bronc", [0.6, 0.3], ("smoke",)),
        _yes("either", [1.0, 1.0, 1.0, 0.0], ("lung", "tub")),
        _yes("xray", [0.98, 0.05], ("either",)),
        _yes("dysp", [0.9, 0.8, 0.7, 0.1], ("bronc", "either")),
    ]


def _cancer() -> list[Node]:
    true = ("True", "False")
    return [
        _yes("Pollution", 0.9, states=("low", "high")),
        _yes("Smoker", 0.3, states=true),
        _yes("Cancer", [0.03, 0.001, 0.05, 0.02], ("Pollution", "Smoker"), true),
        _yes("Xray", [0.9, 0.2], ("Cancer",), ("positive", "negative")),
        _yes("Dyspnoea", [0.65, 0.3], ("Cancer",), true),
    ]


def _earthquake() -> list[Node]:
    true = ("True", "False")
    return [
        _yes("Burglary", 0.01, states=true),
        _yes("Earthquake", 0.02, states=true),
        _yes("Alarm", [0.95, 0.94, 0.29, 0.001], ("Burglary", "Earthquake"), true),
        _yes("JohnCalls", [0.90, 0.05], ("Alarm",), true),
        _yes("MaryCalls", [0.70, 0.01], ("Alarm",), true),
    ]


def _survey() -> list[Node]:
    travel = [[0.48, 0.42, 0.10], [0.58, 0.24, 0.18], [0.56, 0.36, 0.08], [0.70, 0.21, 0.09]]
    return [
        Node("A", ["young", "adult", "old"], [0.3, 0.5, 0.2]),
        Node("S", ["M", "F"], [0.6, 0.4]),
        _yes("E", [0.75, 0.64, 0.72, 0.70, 0.88, 0.90], ("A", "S"), ("high", "uni")),
        _yes("O", [0.96, 0.92], ("E",), ("emp", "self")),
        _yes("R", [0.25, 0.20], ("E",), ("small", "big")),
        Node("T", ["car", "train", "other"], travel, ["O", "R"]),
    ]


def _student() -> list[Node]:
    return [
        Node("difficulty", ["easy", "hard"], [0.6, 0.4]),
        Node("intelligence", ["low", "high"], [0.7, 0.3]),
        Node(
            "grade",
            ["A", "B", "C"],
            [[0.3, 0.4, 0.3], [0.9, 0.08, 0.02], [0.05, 0.25, 0.7], [0.5, 0.3, 0.2]],
            ["difficulty", "intelligence"],
        ),
        Node("sat", ["low", "high"], [[0.95, 0.05], [0.2, 0.8]], ["intelligence"]),
        Node("letter", ["weak", "strong"], [[0.1, 0.9], [0.4, 0.6], [0.99, 0.01]], ["grade"]),
    ]


def _file(name: str) -> list[Node]:
    from assay.graphs.formats.bif import parse

    text = files("assay.graphs").joinpath("networks", f"{name}.bif").read_text("utf-8")
    return list(parse(text, f"{name}.bif").nodes)


NETWORKS: dict[str, tuple[Any, str]] = {
    "rain": (_rain, "rain makes the grass wet: two nodes"),
    "wet grass chain": (_chain, "cloudy, rain, wet: a chain"),
    "cloudy fork": (_fork, "cloudy decides on sprinkler and rain: a common cause"),
    "rain or sprinkler": (_collider, "rain and sprinkler make the grass wet: a common effect"),
    "sprinkler": (_sprinkler, "cloudy, sprinkler, rain, wet: multiply connected"),
    "asia": (_asia, "diseases of the chest and a visit to Asia (Lauritzen and Spiegelhalter 1988)"),
    "cancer": (_cancer, "causes and signs of lung cancer (Korb and Nicholson 2010)"),
    "earthquake": (
        _earthquake,
        "a burglar alarm that earthquakes set off, and two neighbours (Korb and Nicholson 2010)",
    ),
    "survey": (
        _survey,
        "who travels how: age, sex, education, occupation, residence (Scutari and Denis 2014)",
    ),
    "sachs": (
        partial(_file, "sachs"),
        "proteins and lipids that pass signals in a cell (Sachs and others 2005)",
    ),
    "child": (partial(_file, "child"), "heart diseases of newborn children (Spiegelhalter and Cowell 1992)"),
    "alarm": (partial(_file, "alarm"), "alarms of a patient under anaesthesia (Beinlich and others 1989)"),
    "insurance": (partial(_file, "insurance"), "claims on car insurance (Binder and others 1997)"),
    "hailfinder": (
        partial(_file, "hailfinder"),
        "severe hail in northeastern Colorado (Abramson and others 1996)",
    ),
    "student": (_student, "the grade of a student and the letter it brings (Koller and Friedman 2009)"),
}


def load_network(name: str) -> BayesianNetwork:
    """A network of the literature, by its name.

    Names are rain, wet grass chain, cloudy fork, rain or sprinkler, sprinkler, asia, cancer, earthquake, survey,
    student, sachs, child, alarm, insurance and hailfinder; ``NETWORKS`` says what each is about.

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> load_network("asia")
    BayesianNetwork of 8 nodes and 8 arcs (multiply connected)

    References
    ----------
    - Lauritzen, S. L. and Spiegelhalter, D. J. (1988). Local computations with probabilities on graphical structures
      and their application to expert systems. Journal of the Royal Statistical Society B 50, 157-224.
      doi:10.1111/j.2517-6161.1988.tb01721.x
    - Korb, K. B. and Nicholson, A. E. (2010). Bayesian Artificial Intelligence, second edition. CRC Press.
    - Scutari, M. and Denis, J.-B. (2014). Bayesian Networks with Examples in R. Chapman and Hall.
    - Koller, D. and Friedman, N. (2009). Probabilistic Graphical Models. MIT Press.
    - Sachs, K., Perez, O., Pe'er, D., Lauffenburger, D. A. and Nolan, G. P. (2005). Causal protein-signaling networks
      derived from multiparameter single-cell data. Science 308, 523-529. doi:10.1126/science.1105809
    - Spiegelhalter, D. J. and Cowell, R. G. (1992). Learning in probabilistic expert systems. Bayesian Statistics 4,
      447-466.
    - Beinlich, I. A., Suermondt, H. J., Chavez, R. M. and Cooper, G. F. (1989). The ALARM monitoring system: a case
      study with two probabilistic inference techniques for belief networks. Second European Conference on Artificial
      Intelligence in Medicine, 247-256. doi:10.1007/978-3-642-93437-7_28
    - Binder, J., Koller, D., Russell, S. and Kanazawa, K. (1997). Adaptive probabilistic networks with hidden
      variables. Machine Learning 29, 213-244. doi:10.1023/A:1007421730016
    - Abramson, B., Brown, J., Edwards, W., Murphy, A. and Winkler, R. L. (1996). Hailfinder: a Bayesian system for
      forecasting severe weather. International Journal of Forecasting 12, 57-71. doi:10.1016/0169-2070(95)00664-8
    """
    if name not in NETWORKS:
        raise DataError(f"load_network: there is no network {name!r}.{did_you_mean(name, NETWORKS)}")
    return BayesianNetwork(NETWORKS[name][0]())
