"""Containers instead of processes: what a hub says beside jupyterhub_config.py where Docker holds people's servers.

Users, groups and homes are the machine's; the image is docs/hub/Dockerfile's.
"""

import grp
import os

c = get_config()  # noqa: F821

c.JupyterHub.spawner_class = "dockerspawner.SystemUserSpawner"
c.JupyterHub.hub_bind_url = "http://172.17.0.1:8081"  # the machine as its containers see it
c.DockerSpawner.image = "attentively-hub"
c.DockerSpawner.remove = True
# Names of the machine's users and groups; written to by root alone.
c.DockerSpawner.read_only_volumes = {"/etc/passwd": "/etc/passwd", "/etc/group": "/etc/group"}
# The machine's: in a container's own, UTC, `grader dates --due "23:59"` would be nine hours later for Seoul.
ZONE = os.path.realpath("/etc/localtime").partition("zoneinfo/")[2] or "UTC"


def mount_what_is_theirs(spawner):
    """The exchange for all; class, checkout and the group that may enter them for teachers."""
    teachers = grp.getgrnam("teachers").gr_gid
    teaches = teachers in os.getgrouplist(spawner.user.name, spawner.group_id)
    shared = ["/srv/nbgrader", "/srv/handout", *(["/srv/classes", "/srv/course"] if teaches else [])]
    spawner.volumes = {path: path for path in shared}
    spawner.environment = {**spawner.environment, "TZ": ZONE}
    # A container has a user's first group alone.
    spawner.extra_host_config = {"group_add": [str(teachers)]} if teaches else {}


c.Spawner.pre_spawn_hook = mount_what_is_theirs
