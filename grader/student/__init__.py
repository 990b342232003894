"""A student's commands: the check in the notebook, and 'grader check'."""
