"""Topic models: documents as mixtures of distributions over words."""
