"""What goes together: frequent item sets of baskets, and the rules among them."""

from assay.associations.association_rules import association_rules
from assay.associations.baskets import Baskets
from assay.associations.condensed import closed_sets, maximal_sets
from assay.associations.estimate import SetEstimate, estimate_sets
from assay.associations.fisher import fisher_p
from assay.associations.frequent_sets import frequent_sets
from assay.associations.interest import MEASURES, interest
from assay.associations.item_sets import ItemSet, ItemSets
from assay.associations.rule_table import AssociationRule, AssociationRules

__all__ = [
    "MEASURES",
    "AssociationRule",
    "AssociationRules",
    "Baskets",
    "ItemSet",
    "ItemSets",
    "SetEstimate",
    "association_rules",
    "closed_sets",
    "estimate_sets",
    "fisher_p",
    "frequent_sets",
    "interest",
    "maximal_sets",
]
