"""Rules with variables: Horn clauses and FOIL."""
