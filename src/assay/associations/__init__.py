"""What goes together: frequent item sets of baskets, and the rules among them."""

from assay.associations.baskets import Baskets
from assay.associations.fisher import fisher_p
from assay.associations.frequent_sets import frequent_sets
from assay.associations.interest import MEASURES, interest
from assay.associations.item_sets import ItemSet, ItemSets

__all__ = [
    "MEASURES",
    "Baskets",
    "ItemSet",
    "ItemSets",
    "fisher_p",
    "frequent_sets",
    "interest",
]
