"""Networks: multilayer perceptrons, layers, and ways of learning by backpropagation."""

from assay.neural.autoencoder import Autoencoder, reconstruction_curve
from assay.neural.backpropagation import AdaptiveRate, Training, backpropagation, minimize_error
from assay.neural.boolean import boolean_network, cell_network, gate, parity_network
from assay.neural.deep import pretrained_network
from assay.neural.gradient_check import gradient_check
from assay.neural.growing import (
    CascadeNetwork,
    Search,
    cascade_correlation,
    dynamic_node_creation,
    hill_climb,
    prune,
    search_architecture,
)
from assay.neural.lags import lagged_windows
from assay.neural.layers import (
    GRU,
    LSTM,
    Activation,
    BatchNormalization,
    CellwiseLinear,
    Convolution,
    Dense,
    Direct,
    Dropout,
    Embedding,
    Flatten,
    LayerNormalization,
    LocalFields,
    MaxPooling,
    MeanPooling,
    PartiallyRecurrent,
    Radial,
    Recurrent,
    Reshape,
)
from assay.neural.mlp_classifier import MLPClassifier
from assay.neural.mlp_regressor import MLPRegressor
from assay.neural.network import Network
from assay.neural.network_classifier import NetworkClassifier
from assay.neural.network_regressor import NetworkRegressor
from assay.neural.penalties import IntervalHint, InvarianceHint, SoftWeightSharing, TangentHint, WeightDecay
from assay.neural.pictures import ImageNormalizer, virtual_examples
from assay.neural.projection_pursuit import ProjectionPursuitRegressor
from assay.neural.real_time import real_time_gradient
from assay.neural.sammon_network import SammonNetwork
from assay.neural.tabular_net_classifier import TabularNetClassifier
from assay.neural.tabular_net_regressor import TabularNetRegressor

__all__ = [
    "GRU",
    "LSTM",
    "Activation",
    "AdaptiveRate",
    "Autoencoder",
    "BatchNormalization",
    "CascadeNetwork",
    "CellwiseLinear",
    "Convolution",
    "Dense",
    "Direct",
    "Dropout",
    "Embedding",
    "Flatten",
    "ImageNormalizer",
    "IntervalHint",
    "InvarianceHint",
    "LayerNormalization",
    "LocalFields",
    "MLPClassifier",
    "MLPRegressor",
    "MaxPooling",
    "MeanPooling",
    "Network",
    "NetworkClassifier",
    "NetworkRegressor",
    "PartiallyRecurrent",
    "ProjectionPursuitRegressor",
    "Radial",
    "Recurrent",
    "Reshape",
    "SammonNetwork",
    "Search",
    "SoftWeightSharing",
    "TabularNetClassifier",
    "TabularNetRegressor",
    "TangentHint",
    "Training",
    "WeightDecay",
    "backpropagation",
    "boolean_network",
    "cascade_correlation",
    "cell_network",
    "dynamic_node_creation",
    "gate",
    "gradient_check",
    "hill_climb",
    "lagged_windows",
    "minimize_error",
    "parity_network",
    "pretrained_network",
    "prune",
    "real_time_gradient",
    "reconstruction_curve",
    "search_architecture",
    "virtual_examples",
]
