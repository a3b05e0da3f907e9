"""Sequential covering: RIPPER, IREP, CN2, AQ, PRISM, and the search for one rule."""
