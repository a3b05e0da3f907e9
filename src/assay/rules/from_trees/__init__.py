"""Rules taken from decision trees: C4.5rules, PART, M5'Rules."""
