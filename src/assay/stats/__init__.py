"""Distributions and their estimators, conjugate priors, Bayes' rule, impurity and information, scatter.

Pure functions and small classes of NumPy arrays; learners are built on them.
"""

from assay.stats.activations import sigmoid, softmax, softmax_jacobian
from assay.stats.bayesian.bayes_error import bayes_error, minimum_error_rule, rule_error
from assay.stats.bayesian.bayes_rule import BayesResult, bayes_rule, bayes_rule_from_counts, bayes_theorem
from assay.stats.bayesian.beta_bernoulli import BetaBernoulli
from assay.stats.bayesian.chain_diagnostics import effective_sample_size, shortest_interval, split_r_hat
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.stats.bayesian.correlated_t import correlated_t
from assay.stats.bayesian.dirichlet_categorical import DirichletCategorical
from assay.stats.bayesian.discrete_prior import DiscretePrior
from assay.stats.bayesian.draws import Draws, DrawsSummary
from assay.stats.bayesian.elicitation import beta_from_interval, normal_from_interval
from assay.stats.bayesian.empirical_bayes import EmpiricalBayes, empirical_bayes
from assay.stats.bayesian.gamma_poisson import GammaPoisson
from assay.stats.bayesian.grid_posterior import GridPosterior
from assay.stats.bayesian.hierarchical_t import HierarchicalPosterior, hierarchical_t
from assay.stats.bayesian.laplace_approximation import LaplaceApproximation, laplace_approximation
from assay.stats.bayesian.linear_posterior import LinearPosterior
from assay.stats.bayesian.mean_field import MeanField, mean_field, mean_field_normal_gamma
from assay.stats.bayesian.model_comparison import (
    BayesFactor,
    ComparedModels,
    ModelProbabilities,
    bayes_factor,
    compare_models,
    model_probabilities,
)
from assay.stats.bayesian.model_selection import (
    ModelPosterior,
    bayesian_model_selection,
    log_evidence,
    weight_posterior,
)
from assay.stats.bayesian.normal_gamma import NormalGamma
from assay.stats.bayesian.normal_inverse_wishart import NormalInverseWishart
from assay.stats.bayesian.normal_mean import NormalMean
from assay.stats.bayesian.odds import likelihood_ratio, log_odds, log_odds_discriminant, odds
from assay.stats.bayesian.posterior import ZeroEvidenceWarning, log_posterior
from assay.stats.bayesian.prior_mixture import PriorMixture
from assay.stats.bayesian.rope_posterior import RopePosterior
from assay.stats.bayesian.signed_rank_posterior import signed_rank_posterior
from assay.stats.bayesian.smoothing import smoothed_frequencies
from assay.stats.distributions.averaged import AveragedDensity
from assay.stats.distributions.bernoulli import Bernoulli
from assay.stats.distributions.categorical import Categorical
from assay.stats.distributions.density import Density
from assay.stats.distributions.gamma import Gamma
from assay.stats.distributions.gaussian import Gaussian
from assay.stats.distributions.integration import density_bayes_error, density_cross_entropy
from assay.stats.distributions.laplace import Laplace
from assay.stats.distributions.multivariate_gaussian import (
    MultivariateGaussian,
    bivariate_logpdf,
    mahalanobis,
    mahalanobis_sq,
)
from assay.stats.distributions.poisson import NegativeBinomial, Poisson
from assay.stats.distributions.student import MultivariateStudent, StudentT
from assay.stats.distributions.studentized_range import (
    dunnett_quantile,
    dunnett_sf,
    studentized_range_quantile,
    studentized_range_sf,
)
from assay.stats.distributions.with_prior import WithPrior
from assay.stats.effects.cohen import cohen_d, cohen_h, hedges_g
from assay.stats.effects.dominance import cliff_delta, discordant_odds, rank_biserial, vargha_delaney_a
from assay.stats.effects.effect_size import EffectSize
from assay.stats.estimators.bias_variance import (
    BiasVariance,
    bias_variance,
    constant_model,
    first_model,
    mean_model,
    minimum_model,
    polynomial_model,
)
from assay.stats.estimators.monte_carlo import EstimatorStudy, study_estimator
from assay.stats.information.elbow import Elbow, elbow, validation_elbow
from assay.stats.information.entropy import (
    cross_entropy,
    entropy,
    gini,
    kl_divergence,
    label_cross_entropy,
    max_entropy,
    max_gini,
    mutual_information,
)
from assay.stats.information.information_criteria import (
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
from assay.stats.information.mdl_cuts import mdl_cuts
from assay.stats.intervals.mean_interval import mean_interval, variance_interval
from assay.stats.intervals.proportion_interval import proportion_interval, wilson_interval
from assay.stats.intervals.repeated_estimate import RepeatedEstimate, corrected_interval, repeated_estimate
from assay.stats.multivariate.bordered import (
    BorderedInverse,
    bordered_cholesky,
    bordered_inverse,
    cholesky_without,
    inverse_without,
)
from assay.stats.multivariate.gaussian_thresholds import (
    GaussianThresholds,
    LogLinear,
    gaussian_thresholds,
    log_linear_ratio,
)
from assay.stats.multivariate.hat_matrix import HatMatrix, hat_matrix, leave_one_out, press
from assay.stats.multivariate.moments import ZScores, correlation, covariance, mean_vector, z_scores
from assay.stats.multivariate.procrustes import Procrustes, procrustes
from assay.stats.multivariate.projection import scalar_projection, vector_projection
from assay.stats.multivariate.quadratic_boundary import Conic, LogOdds, gaussian_log_odds
from assay.stats.multivariate.scatter import (
    DiscriminantDirections,
    Scatter,
    class_scatter,
    discriminant_directions,
    fisher_criterion,
    fisher_direction,
)
from assay.stats.multivariate.transforms import (
    Decomposition,
    covariance_matrix,
    is_orthogonal,
    is_positive_semidefinite,
    rotation_matrix,
    scaling_matrix,
    singular_decomposition,
    spectral_decomposition,
    transition_matrix,
)
from assay.stats.quantile_sketch import QuantileSketch
from assay.stats.significance.anova import Anova, Source, anova, contrast
from assay.stats.significance.binomial_test import binomial_test, proportion_test, two_proportions_test
from assay.stats.significance.cochran_q import cochran_q
from assay.stats.significance.diebold_mariano import diebold_mariano
from assay.stats.significance.equal_covariances import box_m
from assay.stats.significance.equal_variances import levene
from assay.stats.significance.equivalence import Equivalence, equivalence_test
from assay.stats.significance.five_by_two import five_by_two_f, five_by_two_t
from assay.stats.significance.friedman import Friedman, friedman, friedman_from_ranks
from assay.stats.significance.hotelling import Hotelling, hotelling
from assay.stats.significance.kruskal_wallis import KruskalWallis, dunn, kruskal_wallis
from assay.stats.significance.letters import letters, runs_alike
from assay.stats.significance.manova import Manova, manova
from assay.stats.significance.mcnemar import discordant, mcnemar
from assay.stats.significance.multiple_tests import (
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
from assay.stats.significance.normality import NormalityCheck, check_normality, henze_zirkler, mardia
from assay.stats.significance.paired_t import paired_t, paired_t_all
from assay.stats.significance.permutation_test import permutation_test
from assay.stats.significance.post_hoc import post_hoc
from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.power import SampleSize, power_of, sample_size_for, smallest_difference
from assay.stats.significance.quade import quade
from assay.stats.significance.rank_post_hoc import bonferroni_dunn, compare_ranks, conover, nemenyi, shaffer
from assay.stats.significance.rank_sum import rank_sum
from assay.stats.significance.sign_test import SignTest, Wins, sign_test
from assay.stats.significance.summary import Summary
from assay.stats.significance.t_test import t_test
from assay.stats.significance.test_result import TestResult
from assay.stats.significance.which_test import Advice, which_test
from assay.stats.significance.wilcoxon import SignedRankTest, wilcoxon_signed_rank
from assay.stats.significance.z_test import z_test

__all__ = [
    "Advice",
    "Anova",
    "AveragedDensity",
    "BayesFactor",
    "BayesResult",
    "Bernoulli",
    "BetaBernoulli",
    "BiasVariance",
    "BorderedInverse",
    "Categorical",
    "ComparedModels",
    "Conic",
    "ConjugateModel",
    "Decomposition",
    "Density",
    "DirichletCategorical",
    "DiscretePrior",
    "DiscriminantDirections",
    "Draws",
    "DrawsSummary",
    "EffectSize",
    "Elbow",
    "EmpiricalBayes",
    "Equivalence",
    "EstimatorStudy",
    "Friedman",
    "Gamma",
    "GammaPoisson",
    "Gaussian",
    "GaussianThresholds",
    "GridPosterior",
    "HatMatrix",
    "HierarchicalPosterior",
    "Hotelling",
    "KruskalWallis",
    "Laplace",
    "LaplaceApproximation",
    "LinearPosterior",
    "LogLinear",
    "LogOdds",
    "Manova",
    "MeanField",
    "ModelPosterior",
    "ModelProbabilities",
    "MultivariateGaussian",
    "MultivariateStudent",
    "NegativeBinomial",
    "NormalGamma",
    "NormalInverseWishart",
    "NormalMean",
    "NormalityCheck",
    "Poisson",
    "PostHoc",
    "PriorMixture",
    "Procrustes",
    "QuantileSketch",
    "RegressionCriteria",
    "RepeatedEstimate",
    "RopePosterior",
    "SampleSize",
    "Scatter",
    "SignTest",
    "SignedRankTest",
    "Source",
    "StructuralRisk",
    "StudentT",
    "Summary",
    "TestResult",
    "Wins",
    "WithPrior",
    "ZScores",
    "ZeroEvidenceWarning",
    "adjust",
    "aic",
    "anova",
    "bayes_error",
    "bayes_factor",
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
    "bordered_cholesky",
    "bordered_inverse",
    "box_m",
    "check_normality",
    "cholesky_without",
    "class_scatter",
    "cliff_delta",
    "cochran_q",
    "cohen_d",
    "cohen_h",
    "compare_models",
    "compare_ranks",
    "conover",
    "constant_model",
    "contrast",
    "corrected_error",
    "corrected_interval",
    "correlated_t",
    "correlation",
    "covariance",
    "covariance_matrix",
    "cross_entropy",
    "density_bayes_error",
    "density_cross_entropy",
    "description_length",
    "diebold_mariano",
    "discordant",
    "discordant_odds",
    "discriminant_directions",
    "dunn",
    "dunnett_quantile",
    "dunnett_sf",
    "effective_parameters",
    "effective_sample_size",
    "elbow",
    "empirical_bayes",
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
    "inverse_without",
    "is_orthogonal",
    "is_positive_semidefinite",
    "kl_divergence",
    "kruskal_wallis",
    "label_cross_entropy",
    "laplace_approximation",
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
    "mean_field",
    "mean_field_normal_gamma",
    "mean_interval",
    "mean_model",
    "mean_vector",
    "minimum_error_rule",
    "minimum_model",
    "model_probabilities",
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
    "procrustes",
    "proportion_interval",
    "proportion_test",
    "quade",
    "rank_biserial",
    "rank_sum",
    "regression_criteria",
    "repeated_estimate",
    "rotation_matrix",
    "rule_error",
    "runs_alike",
    "sample_size_for",
    "scalar_projection",
    "scaling_matrix",
    "shaffer",
    "shortest_interval",
    "sidak",
    "sigmoid",
    "sign_test",
    "signed_rank_posterior",
    "singular_decomposition",
    "smallest_difference",
    "smoothed_frequencies",
    "softmax",
    "softmax_jacobian",
    "spectral_decomposition",
    "split_r_hat",
    "structural_risk",
    "studentized_range_quantile",
    "studentized_range_sf",
    "study_estimator",
    "t_test",
    "transition_matrix",
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
