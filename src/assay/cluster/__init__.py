"""Groups of rows: around centres, by merging, by density, by a graph; how many there are, and what they are."""

from assay.cluster.agglomerative_clustering import AgglomerativeClustering
from assay.cluster.bisecting_k_means import BisectingKMeans
from assay.cluster.choose_clusters import (
    ClusterChoice,
    choose_clusters,
    chord_elbow,
    gap_statistic,
    stability_of_clusters,
)
from assay.cluster.consensus import ConsensusClustering, co_association, consensus_labels
from assay.cluster.constrained_k_means import ConstrainedKMeans
from assay.cluster.dbscan import DBSCAN, dbscan
from assay.cluster.divisive_clustering import DivisiveClustering
from assay.cluster.dynamic_k_means import DynamicKMeans
from assay.cluster.fuzzy_art import FuzzyART
from assay.cluster.fuzzy_k_means import FuzzyKMeans
from assay.cluster.genie import Genie
from assay.cluster.hdbscan import HDBSCAN
from assay.cluster.hierarchy import MergeTree, merge_rows
from assay.cluster.k_means import KMeans, k_means
from assay.cluster.k_medoids import KMedoids
from assay.cluster.k_modes import KModes
from assay.cluster.k_prototypes import KPrototypes
from assay.cluster.kernel_k_means import KernelKMeans
from assay.cluster.leader_clustering import LeaderClustering
from assay.cluster.mini_batch_k_means import MiniBatchKMeans
from assay.cluster.online_k_means import OnlineKMeans
from assay.cluster.profile import ClusterProfile, GroupProfile, profile_clusters
from assay.cluster.quality import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    calinski_harabasz_score,
    compare_clusterings,
    davies_bouldin_score,
    normalized_mutual_info_score,
    rand_score,
    silhouette_samples,
    silhouette_score,
)
from assay.cluster.spectral_clustering import SpectralClustering
from assay.cluster.starts import kmeans_plusplus
from assay.cluster.trimmed_k_means import TrimmedKMeans
from assay.cluster.vector_quantizer import Quantized, quantize_blocks, quantize_colors, quantize_vectors

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "ClusterChoice",
    "ClusterProfile",
    "ConsensusClustering",
    "ConstrainedKMeans",
    "DivisiveClustering",
    "DynamicKMeans",
    "FuzzyART",
    "FuzzyKMeans",
    "Genie",
    "GroupProfile",
    "KMeans",
    "KMedoids",
    "KModes",
    "KPrototypes",
    "KernelKMeans",
    "LeaderClustering",
    "MergeTree",
    "MiniBatchKMeans",
    "OnlineKMeans",
    "Quantized",
    "SpectralClustering",
    "TrimmedKMeans",
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "choose_clusters",
    "chord_elbow",
    "co_association",
    "compare_clusterings",
    "consensus_labels",
    "davies_bouldin_score",
    "dbscan",
    "gap_statistic",
    "k_means",
    "kmeans_plusplus",
    "merge_rows",
    "normalized_mutual_info_score",
    "profile_clusters",
    "quantize_blocks",
    "quantize_colors",
    "quantize_vectors",
    "rand_score",
    "silhouette_samples",
    "silhouette_score",
    "stability_of_clusters",
]
