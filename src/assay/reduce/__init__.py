"""New columns in place of many: components, factors, embeddings, topics."""

from assay.reduce.components.incremental_pca import IncrementalPCA
from assay.reduce.components.number_of_components import (
    average_eigenvalue_rule,
    components_by_evidence,
    components_for_share,
    parallel_analysis,
)
from assay.reduce.components.pca import PCA

__all__ = [
    "PCA",
    "IncrementalPCA",
    "average_eigenvalue_rule",
    "components_by_evidence",
    "components_for_share",
    "parallel_analysis",
]
