"""Preparing tables: scalers and imputers, for mixed tables with missing values; new columns; codes of labels."""

from assay.prepare.basis_expansion import BasisExpansion
from assay.prepare.drop_missing import drop_missing
from assay.prepare.flatten import Flattened, flatten
from assay.prepare.k_bins_discretizer import KBinsDiscretizer
from assay.prepare.label_codes import LabelCodes
from assay.prepare.min_max_scaler import MinMaxScaler
from assay.prepare.missing_indicator import MissingIndicator
from assay.prepare.polynomial_features import PolynomialFeatures
from assay.prepare.prepared import Prepared, PreparedRegressor
from assay.prepare.regression_imputer import RegressionImputer
from assay.prepare.simple_imputer import SimpleImputer
from assay.prepare.standard_scaler import StandardScaler
from assay.prepare.transformed_target_regressor import TransformedTargetRegressor

__all__ = [
    "BasisExpansion",
    "Flattened",
    "KBinsDiscretizer",
    "LabelCodes",
    "MinMaxScaler",
    "MissingIndicator",
    "PolynomialFeatures",
    "Prepared",
    "PreparedRegressor",
    "RegressionImputer",
    "SimpleImputer",
    "StandardScaler",
    "TransformedTargetRegressor",
    "drop_missing",
    "flatten",
]
