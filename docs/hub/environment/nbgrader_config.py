"""What everybody's nbgrader knows. Goes to ENVIRONMENT/etc/jupyter/nbgrader_config.py"""

c = get_config()  # noqa: F821

c.Exchange.root = "/srv/nbgrader/exchange"
