"""What a hub for this course says beside your own authenticator and spawner (in jupyterhub_config.py)."""

c = get_config()  # noqa: F821

ENVIRONMENT = "/opt/attentively"  # everybody reads it, root alone writes

c.Spawner.cmd = [f"{ENVIRONMENT}/bin/jupyterhub-singleuser"]
c.Spawner.default_url = "/lab"
# Where notebooks, terminals and what they start find python, grader and nbgrader
c.Spawner.environment = {"PATH": f"{ENVIRONMENT}/bin:/usr/local/bin:/usr/bin:/bin"}
# Measured with masking open and all its cells run: 0.2 GB for the server, 0.45 GB for the kernel. systemd and Docker
# spawners hold people to these limits; without one of them they are only shown.
c.Spawner.mem_limit = "2G"
c.Spawner.cpu_limit = 2
# Who has gone home gives the memory back.
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [f"{ENVIRONMENT}/bin/python", "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
