"""Correspondence analysis: maps of tables of counts and of categories."""
