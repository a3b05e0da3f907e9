"""New columns in place of many: components, factors, embeddings, topics, binary features."""

from assay.reduce.buffet.indian_buffet_model import IndianBuffetModel
from assay.reduce.buffet.indian_buffet_process import IndianBuffetProcess, left_ordered
from assay.reduce.components.held_out_likelihood import components_by_cross_validation
from assay.reduce.components.incremental_pca import IncrementalPCA
from assay.reduce.components.kernel_pca import KernelPCA
from assay.reduce.components.number_of_components import (
    average_eigenvalue_rule,
    components_by_evidence,
    components_for_share,
    parallel_analysis,
)
from assay.reduce.components.pca import PCA
from assay.reduce.correspondence.correspondence_analysis import CorrespondenceAnalysis
from assay.reduce.correspondence.multiple_correspondence import MultipleCorrespondenceAnalysis
from assay.reduce.discriminants.common_components import CommonAxes, CommonPrincipalComponents, common_axes
from assay.reduce.discriminants.karhunen_loeve import KarhunenLoeve
from assay.reduce.embedding.class_informed import ClassInformedEmbedding, class_informed_distances
from assay.reduce.embedding.classical_mds import ClassicalMDS
from assay.reduce.embedding.classical_scaling import additive_constant, centred_products
from assay.reduce.embedding.connectivity import Connectivity, graph_connectivity
from assay.reduce.embedding.extension import LocalWeights
from assay.reduce.embedding.geodesics import geodesic_distances
from assay.reduce.embedding.graph_laplacian import graph_laplacian
from assay.reduce.embedding.isomap import Isomap
from assay.reduce.embedding.landmark_isomap import LandmarkIsomap
from assay.reduce.embedding.locally_linear_embedding import LocallyLinearEmbedding, locally_linear_embedding
from assay.reduce.embedding.majorization import smacof
from assay.reduce.embedding.mds import MDS
from assay.reduce.embedding.parametric_sammon import ParametricSammon
from assay.reduce.embedding.quality import (
    continuity,
    embedding_quality,
    neighborhood_hit,
    neighborhood_preservation,
    residual_variance,
    stress,
    trustworthiness,
    variance_share,
)
from assay.reduce.embedding.sammon_mapping import SammonMapping
from assay.reduce.embedding.sne import SNE
from assay.reduce.embedding.spectral_embedding import SpectralEmbedding, spectral_embedding
from assay.reduce.embedding.tsne import TSNE
from assay.reduce.factorization.latent_semantic_indexing import LatentSemanticIndexing
from assay.reduce.factorization.matrix_factorization import MatrixFactorization
from assay.reduce.factorization.mini_batch_nmf import MiniBatchNMF
from assay.reduce.factorization.nmf import NMF
from assay.reduce.factorization.non_negative_factorization import non_negative_factorization
from assay.reduce.factorization.truncated_svd import TruncatedSVD
from assay.reduce.factors.factor_analysis import FactorAnalysis
from assay.reduce.factors.known_factors import FactorsBesideKnown, factors_beside_known
from assay.reduce.factors.probabilistic_pca import ProbabilisticPCA
from assay.reduce.factors.rotation import Rotation, rotate_by_angle, rotate_loadings
from assay.reduce.topics.bilingual_lda import BilingualLDA
from assay.reduce.topics.evaluation import Completion, document_completion, topic_coherence
from assay.reduce.topics.hierarchical_dirichlet_process import HierarchicalDirichletProcess
from assay.reduce.topics.latent_dirichlet_allocation import LatentDirichletAllocation
from assay.reduce.topics.make_documents import SyntheticDocuments, make_documents
from assay.reduce.topics.topic_model import TopWords
from assay.reduce.topics.word_counts import count_words
from assay.reduce.views.canonical_tests import canonical_correlation_tests
from assay.reduce.views.cca import CCA
from assay.reduce.views.generalized_cca import GeneralizedCCA
from assay.reduce.views.kernel_cca import KernelCCA
from assay.reduce.views.pls_canonical import PLSCanonical
from assay.reduce.views.pls_regression import PLSRegression
from assay.reduce.views.pls_svd import PLSSVD
from assay.reduce.views.probabilistic_cca import ProbabilisticCCA

__all__ = [
    "CCA",
    "MDS",
    "NMF",
    "PCA",
    "PLSSVD",
    "SNE",
    "TSNE",
    "BilingualLDA",
    "ClassInformedEmbedding",
    "ClassicalMDS",
    "CommonAxes",
    "CommonPrincipalComponents",
    "Completion",
    "Connectivity",
    "CorrespondenceAnalysis",
    "FactorAnalysis",
    "FactorsBesideKnown",
    "GeneralizedCCA",
    "HierarchicalDirichletProcess",
    "IncrementalPCA",
    "IndianBuffetModel",
    "IndianBuffetProcess",
    "Isomap",
    "KarhunenLoeve",
    "KernelCCA",
    "KernelPCA",
    "LandmarkIsomap",
    "LatentDirichletAllocation",
    "LatentSemanticIndexing",
    "LocalWeights",
    "LocallyLinearEmbedding",
    "MatrixFactorization",
    "MiniBatchNMF",
    "MultipleCorrespondenceAnalysis",
    "PLSCanonical",
    "PLSRegression",
    "ParametricSammon",
    "ProbabilisticCCA",
    "ProbabilisticPCA",
    "Rotation",
    "SammonMapping",
    "SpectralEmbedding",
    "SyntheticDocuments",
    "TopWords",
    "TruncatedSVD",
    "additive_constant",
    "average_eigenvalue_rule",
    "canonical_correlation_tests",
    "centred_products",
    "class_informed_distances",
    "common_axes",
    "components_by_cross_validation",
    "components_by_evidence",
    "components_for_share",
    "continuity",
    "count_words",
    "document_completion",
    "embedding_quality",
    "factors_beside_known",
    "geodesic_distances",
    "graph_connectivity",
    "graph_laplacian",
    "left_ordered",
    "locally_linear_embedding",
    "make_documents",
    "neighborhood_hit",
    "neighborhood_preservation",
    "non_negative_factorization",
    "parallel_analysis",
    "residual_variance",
    "rotate_by_angle",
    "rotate_loadings",
    "smacof",
    "spectral_embedding",
    "stress",
    "topic_coherence",
    "trustworthiness",
    "variance_share",
]
