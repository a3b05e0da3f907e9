"""Several variables at once: moments, scatter, projections, hat matrix, boundaries of Gaussians."""
