"""Association analysis: frequent item sets, association rules, recommenders."""

from assay.associations.association_rules import association_rules
from assay.associations.basket_stream import BasketStream
from assay.associations.baskets import Baskets
from assay.associations.condensed import closed_sets, maximal_sets
from assay.associations.cross_selling import CrossSelling, cross_selling, cross_selling_targets
from assay.associations.estimate import SetEstimate, estimate_sets
from assay.associations.fisher import fisher_p
from assay.associations.frequent_items import FrequentItems
from assay.associations.frequent_sets import frequent_sets
from assay.associations.interest import MEASURES, interest
from assay.associations.item_neighbors import ItemNeighbors
from assay.associations.item_sets import ItemSet, ItemSets
from assay.associations.next_items import NextItem, next_items
from assay.associations.rating_associations import RatingAssociations
from assay.associations.rating_factors import RatingFactors
from assay.associations.ratings import Ratings
from assay.associations.recommender import Recommendation, Recommender
from assay.associations.recommender_scores import RecommenderScores, recommender_scores
from assay.associations.rule_table import AssociationRule, AssociationRules
from assay.associations.segments import (
    Association,
    PairTable,
    SegmentTable,
    association,
    pairwise_associations,
    segment_associations,
)
from assay.associations.user_neighbors import UserNeighbors

__all__ = [
    "MEASURES",
    "Association",
    "AssociationRule",
    "AssociationRules",
    "BasketStream",
    "Baskets",
    "CrossSelling",
    "FrequentItems",
    "ItemNeighbors",
    "ItemSet",
    "ItemSets",
    "NextItem",
    "PairTable",
    "RatingAssociations",
    "RatingFactors",
    "Ratings",
    "Recommendation",
    "Recommender",
    "RecommenderScores",
    "SegmentTable",
    "SetEstimate",
    "UserNeighbors",
    "association",
    "association_rules",
    "closed_sets",
    "cross_selling",
    "cross_selling_targets",
    "estimate_sets",
    "fisher_p",
    "frequent_sets",
    "interest",
    "maximal_sets",
    "next_items",
    "pairwise_associations",
    "recommender_scores",
    "segment_associations",
]
