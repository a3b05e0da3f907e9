"""Whether linear scores can tell the classes apart, and the search for weights that do."""
