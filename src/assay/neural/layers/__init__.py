"""Layers of a network, each with its values forward and its errors backward."""

from assay.neural.layers.dense import Dense
from assay.neural.layers.gated import GRU, LSTM
from assay.neural.layers.layer import Layer
from assay.neural.layers.normalization import BatchNormalization, LayerNormalization
from assay.neural.layers.other import CellwiseLinear, Direct, Embedding, Radial
from assay.neural.layers.recurrent import PartiallyRecurrent, Recurrent
from assay.neural.layers.simple import Activation, Dropout, Flatten, Reshape
from assay.neural.layers.windows import Convolution, LocalFields, MaxPooling, MeanPooling

__all__ = [
    "GRU",
    "LSTM",
    "Activation",
    "BatchNormalization",
    "CellwiseLinear",
    "Convolution",
    "Dense",
    "Direct",
    "Dropout",
    "Embedding",
    "Flatten",
    "Layer",
    "LayerNormalization",
    "LocalFields",
    "MaxPooling",
    "MeanPooling",
    "PartiallyRecurrent",
    "Radial",
    "Recurrent",
    "Reshape",
]
