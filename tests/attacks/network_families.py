# Opens sockets of every family and type.
# earns: 0
# %%
import socket

for family in range(46):
    for kind in (1, 2, 3, 5):
        attempt(lambda: socket.socket(family, kind))
attempt(lambda: socket.getaddrinfo("example.org", 80))
attempt(lambda: socket.gethostbyname("example.org"))
attempt(lambda: socket.socketpair())
