"""What a student runs: the check in the notebook, and 'grader check'."""
