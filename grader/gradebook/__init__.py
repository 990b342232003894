"""All that touches nbgrader's gradebook and formats: tables, notebooks, converters; people, times, lateness."""
