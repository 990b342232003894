"""A second language from the same sources: what is said there, its catalogue, and the edition made from both."""
