"""Written by tools/registry.py."""

from assay import associations as associations
from assay import baselines as baselines
from assay import bayes as bayes
from assay import cluster as cluster
from assay import core as core
from assay import decide as decide
from assay import densities as densities
from assay import distances as distances
from assay import ensembles as ensembles
from assay import evaluate as evaluate
from assay import experiments as experiments
from assay import graphs as graphs
from assay import kernels as kernels
from assay import linear as linear
from assay import local as local
from assay import metrics as metrics
from assay import mixture as mixture
from assay import neighbors as neighbors
from assay import neural as neural
from assay import optimize as optimize
from assay import outliers as outliers
from assay import plots as plots
from assay import prepare as prepare
from assay import processes as processes
from assay import reduce as reduce
from assay import reinforcement as reinforcement
from assay import report as report
from assay import rulebase as rulebase
from assay import rules as rules
from assay import select as select
from assay import sequences as sequences
from assay import smoothers as smoothers
from assay import stats as stats
from assay import svm as svm
from assay import tables as tables
from assay import text as text
from assay import theory as theory
from assay import trees as trees
from assay import tuning as tuning
from assay.core.persistence import load as load
from assay.core.persistence import save as save
from assay.evaluate import compare as compare

__version__: str
_ROOMS: tuple[str, ...]
