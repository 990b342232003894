"""Suites, the judge that decides by them, and the names of wrong answers."""
