"""Components: weighted sums of the columns, from one covariance matrix."""
