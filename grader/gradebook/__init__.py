"""All that touches nbgrader: its tables, notebooks, converters and preprocessors."""
