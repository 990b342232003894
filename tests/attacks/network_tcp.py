# Connects to a listener of the judge's, by address and by name.
# earns: 0
# %%
import socket, urllib.request

attempt(lambda: socket.create_connection(("127.0.0.1", PORT), timeout=1))
attempt(lambda: socket.create_connection(("::1", PORT), timeout=1))
attempt(lambda: urllib.request.urlopen(f"http://localhost:{PORT}", timeout=1))
attempt(lambda: socket.create_server(("127.0.0.1", 0)))
