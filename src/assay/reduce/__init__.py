"""New columns in place of many: components, factors, embeddings, topics, binary features."""

from assay.reduce.buffet.indian_buffet_model import IndianBuffetModel
from assay.reduce.buffet.indian_buffet_process import IndianBuffetProcess, left_ordered
from assay.reduce.components.incremental_pca import IncrementalPCA
from assay.reduce.components.kernel_pca import KernelPCA
from assay.reduce.components.number_of_components import (
    average_eigenvalue_rule,
    components_by_evidence,
    components_for_share,
    parallel_analysis,
)
from assay.reduce.components.pca import PCA
from assay.reduce.factors.factor_analysis import FactorAnalysis
from assay.reduce.factors.probabilistic_pca import ProbabilisticPCA
from assay.reduce.factors.rotation import Rotation, rotate_by_angle, rotate_loadings
from assay.reduce.topics.bilingual_lda import BilingualLDA
from assay.reduce.topics.evaluation import Completion, document_completion, topic_coherence
from assay.reduce.topics.hierarchical_dirichlet_process import HierarchicalDirichletProcess
from assay.reduce.topics.latent_dirichlet_allocation import LatentDirichletAllocation
from assay.reduce.topics.make_documents import SyntheticDocuments, make_documents
from assay.reduce.topics.topic_model import TopWords
from assay.reduce.topics.word_counts import count_words

__all__ = [
    "PCA",
    "BilingualLDA",
    "Completion",
    "FactorAnalysis",
    "HierarchicalDirichletProcess",
    "IncrementalPCA",
    "IndianBuffetModel",
    "IndianBuffetProcess",
    "KernelPCA",
    "LatentDirichletAllocation",
    "ProbabilisticPCA",
    "Rotation",
    "SyntheticDocuments",
    "TopWords",
    "average_eigenvalue_rule",
    "components_by_evidence",
    "components_for_share",
    "count_words",
    "document_completion",
    "left_ordered",
    "make_documents",
    "parallel_analysis",
    "rotate_by_angle",
    "rotate_loadings",
    "topic_coherence",
]
