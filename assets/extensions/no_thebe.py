"""Keeps out thebe, which Jupyter Book adds to every page: live code would need a server and a CDN."""


def disconnect(app, config):
    for listeners in app.events.listeners.values():
        listeners[:] = [listener for listener in listeners if listener.handler.__module__ != "sphinx_thebe"]
    styles = app.registry.css_files
    styles[:] = [style for style in styles if style[0] != "sphinx-thebe.css"]


def setup(app):
    app.connect("config-inited", disconnect)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
