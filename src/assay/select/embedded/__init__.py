"""Selection by what a learner makes of the columns: weights, their significance, importances, the lasso path."""
