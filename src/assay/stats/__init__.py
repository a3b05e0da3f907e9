"""Distributions and their estimators, conjugate priors, Bayes' rule, impurity and information, scatter.

Pure functions and small classes of NumPy arrays; learners are built on them.
"""

from assay.stats.activations import sigmoid, softmax, softmax_jacobian
from assay.stats.anova import Anova, Source, anova, contrast
from assay.stats.bayes_error import bayes_error, minimum_error_rule, rule_error
from assay.stats.bayes_rule import BayesResult, bayes_rule, bayes_rule_from_counts, bayes_theorem
from assay.stats.bayesian_model_selection import (
    LinearPosterior,
    ModelPosterior,
    bayesian_model_selection,
    log_evidence,
    weight_posterior,
)
from assay.stats.bernoulli import Bernoulli
from assay.stats.beta_bernoulli import BetaBernoulli
from assay.stats.bias_variance import (
    BiasVariance,
    bias_variance,
    constant_model,
    first_model,
    mean_model,
    minimum_model,
    polynomial_model,
)
from assay.stats.binomial_test import binomial_test, proportion_test, two_proportions_test
from assay.stats.categorical import Categorical
from assay.stats.cochran_q import cochran_q
from assay.stats.cohen import cohen_d, cohen_h, hedges_g
from assay.stats.correlated_t import correlated_t
from assay.stats.density import Density
from assay.stats.dirichlet_categorical import DirichletCategorical
from assay.stats.dominance import cliff_delta, discordant_odds, rank_biserial, vargha_delaney_a
from assay.stats.effect_size import EffectSize
from assay.stats.elbow import Elbow, elbow, validation_elbow
from assay.stats.elicitation import beta_from_interval, normal_from_interval
from assay.stats.equal_covariances import box_m
from assay.stats.equal_variances import levene
from assay.stats.equivalence import Equivalence, equivalence_test
from assay.stats.five_by_two import five_by_two_f, five_by_two_t
from assay.stats.friedman import Friedman, friedman, friedman_from_ranks
from assay.stats.gaussian import Gaussian
from assay.stats.grid_posterior import GridPosterior
from assay.stats.hat_matrix import HatMatrix, hat_matrix, leave_one_out, press
from assay.stats.hierarchical_t import HierarchicalPosterior, hierarchical_t
from assay.stats.hotelling import Hotelling, hotelling
from assay.stats.information import (
    cross_entropy,
    entropy,
    gini,
    kl_divergence,
    label_cross_entropy,
    max_entropy,
    max_gini,
    mutual_information,
)
from assay.stats.information_criteria import (
    RegressionCriteria,
    StructuralRisk,
    aic,
    bic,
    corrected_error,
    description_length,
    effective_parameters,
    gaussian_log_likelihood,
    mallows_cp,
    optimism,
    regression_criteria,
    structural_risk,
)
from assay.stats.integration import density_bayes_error, density_cross_entropy
from assay.stats.kruskal_wallis import KruskalWallis, dunn, kruskal_wallis
from assay.stats.letters import letters, runs_alike
from assay.stats.manova import Manova, manova
from assay.stats.mcnemar import discordant, mcnemar
from assay.stats.mdl_cuts import mdl_cuts
from assay.stats.mean_interval import mean_interval, variance_interval
from assay.stats.moments import ZScores, correlation, covariance, mean_vector, z_scores
from assay.stats.monte_carlo import EstimatorStudy, study_estimator
from assay.stats.multiple_tests import (
    adjust,
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    finner,
    hochberg,
    holm,
    holm_sidak,
    hommel,
    sidak,
)
from assay.stats.multivariate_gaussian import (
    MultivariateGaussian,
    bivariate_logpdf,
    mahalanobis,
    mahalanobis_sq,
)
from assay.stats.normal_inverse_wishart import NormalInverseWishart
from assay.stats.normal_mean import NormalMean
from assay.stats.normality import NormalityCheck, check_normality, henze_zirkler, mardia
from assay.stats.odds import likelihood_ratio, log_odds, log_odds_discriminant, odds
from assay.stats.paired_t import paired_t, paired_t_all
from assay.stats.permutation_test import permutation_test
from assay.stats.post_hoc import post_hoc
from assay.stats.post_hoc_result import PostHoc
from assay.stats.posterior import ZeroEvidenceWarning, log_posterior
from assay.stats.power import SampleSize, power_of, sample_size_for, smallest_difference
from assay.stats.projection import scalar_projection, vector_projection
from assay.stats.proportion_interval import proportion_interval, wilson_interval
from assay.stats.quade import quade
from assay.stats.quadratic_boundary import Conic, LogOdds, gaussian_log_odds
from assay.stats.rank_post_hoc import bonferroni_dunn, compare_ranks, conover, nemenyi, shaffer
from assay.stats.rank_sum import rank_sum
from assay.stats.relative_squared_error import r_squared, relative_squared_error
from assay.stats.repeated_estimate import RepeatedEstimate, corrected_interval, repeated_estimate
from assay.stats.rope_posterior import RopePosterior
from assay.stats.scatter import (
    Discriminants,
    Scatter,
    class_scatter,
    discriminant_directions,
    fisher_criterion,
    fisher_direction,
)
from assay.stats.sign_test import SignTest, Wins, sign_test
from assay.stats.signed_rank_posterior import signed_rank_posterior
from assay.stats.smoothing import smoothed_frequencies
from assay.stats.student import MultivariateStudent
from assay.stats.studentized_range import (
    dunnett_quantile,
    dunnett_sf,
    studentized_range_quantile,
    studentized_range_sf,
)
from assay.stats.summary import Summary
from assay.stats.t_test import t_test
from assay.stats.test_result import TestResult
from assay.stats.thresholds import LogLinear, Thresholds, gaussian_thresholds, log_linear_ratio
from assay.stats.which_test import Advice, which_test
from assay.stats.wilcoxon import SignedRankTest, wilcoxon_signed_rank
from assay.stats.with_prior import WithPrior
from assay.stats.z_test import z_test

__all__ = [
    "Advice",
    "Anova",
    "BayesResult",
    "Bernoulli",
    "BetaBernoulli",
    "BiasVariance",
    "Categorical",
    "Conic",
    "Density",
    "DirichletCategorical",
    "Discriminants",
    "EffectSize",
    "Elbow",
    "Equivalence",
    "EstimatorStudy",
    "Friedman",
    "Gaussian",
    "GridPosterior",
    "HatMatrix",
    "HierarchicalPosterior",
    "Hotelling",
    "KruskalWallis",
    "LinearPosterior",
    "LogLinear",
    "LogOdds",
    "Manova",
    "ModelPosterior",
    "MultivariateGaussian",
    "MultivariateStudent",
    "NormalInverseWishart",
    "NormalMean",
    "NormalityCheck",
    "PostHoc",
    "RegressionCriteria",
    "RepeatedEstimate",
    "RopePosterior",
    "SampleSize",
    "Scatter",
    "SignTest",
    "SignedRankTest",
    "Source",
    "StructuralRisk",
    "Summary",
    "TestResult",
    "Thresholds",
    "Wins",
    "WithPrior",
    "ZScores",
    "ZeroEvidenceWarning",
    "adjust",
    "aic",
    "anova",
    "bayes_error",
    "bayes_rule",
    "bayes_rule_from_counts",
    "bayes_theorem",
    "bayesian_model_selection",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "beta_from_interval",
    "bias_variance",
    "bic",
    "binomial_test",
    "bivariate_logpdf",
    "bonferroni",
    "bonferroni_dunn",
    "box_m",
    "check_normality",
    "class_scatter",
    "cliff_delta",
    "cochran_q",
    "cohen_d",
    "cohen_h",
    "compare_ranks",
    "conover",
    "constant_model",
    "contrast",
    "corrected_error",
    "corrected_interval",
    "correlated_t",
    "correlation",
    "covariance",
    "cross_entropy",
    "density_bayes_error",
    "density_cross_entropy",
    "description_length",
    "discordant",
    "discordant_odds",
    "discriminant_directions",
    "dunn",
    "dunnett_quantile",
    "dunnett_sf",
    "effective_parameters",
    "elbow",
    "entropy",
    "equivalence_test",
    "finner",
    "first_model",
    "fisher_criterion",
    "fisher_direction",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "friedman_from_ranks",
    "gaussian_log_likelihood",
    "gaussian_log_odds",
    "gaussian_thresholds",
    "gini",
    "hat_matrix",
    "hedges_g",
    "henze_zirkler",
    "hierarchical_t",
    "hochberg",
    "holm",
    "holm_sidak",
    "hommel",
    "hotelling",
    "kl_divergence",
    "kruskal_wallis",
    "label_cross_entropy",
    "leave_one_out",
    "letters",
    "levene",
    "likelihood_ratio",
    "log_evidence",
    "log_linear_ratio",
    "log_odds",
    "log_odds_discriminant",
    "log_posterior",
    "mahalanobis",
    "mahalanobis_sq",
    "mallows_cp",
    "manova",
    "mardia",
    "max_entropy",
    "max_gini",
    "mcnemar",
    "mdl_cuts",
    "mean_interval",
    "mean_model",
    "mean_vector",
    "minimum_error_rule",
    "minimum_model",
    "mutual_information",
    "nemenyi",
    "normal_from_interval",
    "odds",
    "optimism",
    "paired_t",
    "paired_t_all",
    "permutation_test",
    "polynomial_model",
    "post_hoc",
    "power_of",
    "press",
    "proportion_interval",
    "proportion_test",
    "quade",
    "r_squared",
    "rank_biserial",
    "rank_sum",
    "regression_criteria",
    "relative_squared_error",
    "repeated_estimate",
    "rule_error",
    "runs_alike",
    "sample_size_for",
    "scalar_projection",
    "shaffer",
    "sidak",
    "sigmoid",
    "sign_test",
    "signed_rank_posterior",
    "smallest_difference",
    "smoothed_frequencies",
    "softmax",
    "softmax_jacobian",
    "structural_risk",
    "studentized_range_quantile",
    "studentized_range_sf",
    "study_estimator",
    "t_test",
    "two_proportions_test",
    "validation_elbow",
    "vargha_delaney_a",
    "variance_interval",
    "vector_projection",
    "weight_posterior",
    "which_test",
    "wilcoxon_signed_rank",
    "wilson_interval",
    "z_scores",
    "z_test",
]
