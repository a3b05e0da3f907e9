"""Learning theory: generalisation bounds, sample sizes, VC dimension, Rademacher complexity, simulations."""

from assay.theory.concentration import (
    bernstein,
    chernoff,
    empirical_bernstein_epsilon,
    hoeffding,
    hoeffding_epsilon,
    hoeffding_sample_size,
    mcdiarmid,
    simulate_deviation,
)
from assay.theory.finite_class import (
    consistent_epsilon,
    consistent_sample_size,
    erm_excess,
    finite_class_bound,
    finite_class_epsilon,
    finite_class_sample_size,
    linear_class_log_size,
)
from assay.theory.gap import GapStudy, simulate_gap
from assay.theory.growth import growth, log_growth, sauer
from assay.theory.holdout import holdout_bound
from assay.theory.labellings import Boxes, FiniteClass, Hypotheses, Intervals, LookUp, Stumps, Thresholds
from assay.theory.pac_bayes import kl_inverse, pac_bayes_bound
from assay.theory.pac_box import (
    BoxStudy,
    pac_box_delta,
    pac_box_epsilon,
    pac_box_sample_size,
    simulate_pac_box,
)
from assay.theory.polynomials import Polynomials
from assay.theory.rademacher import Rademacher, massart, rademacher, rademacher_bound, rademacher_linear
from assay.theory.risk import ErmResult, empirical_risk, erm
from assay.theory.separators import Balls, HalfSpaces
from assay.theory.shatter import CLASSES, Shattering, VCSearch, shatters, vc_dimension, vc_search
from assay.theory.triangles import Triangles
from assay.theory.vc_bound import vc_bound, vc_sample_size

__all__ = [
    "CLASSES",
    "Balls",
    "BoxStudy",
    "Boxes",
    "ErmResult",
    "FiniteClass",
    "GapStudy",
    "HalfSpaces",
    "Hypotheses",
    "Intervals",
    "LookUp",
    "Polynomials",
    "Rademacher",
    "Shattering",
    "Stumps",
    "Thresholds",
    "Triangles",
    "VCSearch",
    "bernstein",
    "chernoff",
    "consistent_epsilon",
    "consistent_sample_size",
    "empirical_bernstein_epsilon",
    "empirical_risk",
    "erm",
    "erm_excess",
    "finite_class_bound",
    "finite_class_epsilon",
    "finite_class_sample_size",
    "growth",
    "hoeffding",
    "hoeffding_epsilon",
    "hoeffding_sample_size",
    "holdout_bound",
    "kl_inverse",
    "linear_class_log_size",
    "log_growth",
    "massart",
    "mcdiarmid",
    "pac_bayes_bound",
    "pac_box_delta",
    "pac_box_epsilon",
    "pac_box_sample_size",
    "rademacher",
    "rademacher_bound",
    "rademacher_linear",
    "sauer",
    "shatters",
    "simulate_deviation",
    "simulate_gap",
    "simulate_pac_box",
    "vc_bound",
    "vc_dimension",
    "vc_sample_size",
    "vc_search",
]
