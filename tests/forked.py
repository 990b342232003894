"""What is forked from the sandbox's first server, in place of the judges' process: it tells what is loaded there."""

import json
import sys


def tell(client):
    client.recv(64)
    client.sendall(
        json.dumps([name for name in ("wave", "mailbox", "sndhdr") if name in sys.modules]).encode()
    )
