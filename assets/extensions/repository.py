"""The repository's buttons appear once `_config.yml` names its address (`repository: {url: …}`), and not before."""

import re

EXERCISE = re.compile(r"^exercises/(?P<stem>\w+)/(?P=stem)$")


def show_buttons(app, config):
    if config.html_theme_options.get("repository_url"):
        config.html_theme_options.update(use_repository_button=True, use_edit_page_button=True)


def edit_the_source(app, pagename, templatename, context, doctree):
    """An exercise is generated: what one edits is its solution."""
    match = EXERCISE.match(pagename)
    for group in context.get("header_buttons", []) if match else []:
        for button in group.get("buttons", []):
            if button.get("label") == "source-edit-button":
                button["url"] = button["url"].replace(f"{pagename}.ipynb", f"solutions/{match['stem']}.py")


def setup(app):
    app.connect("config-inited", show_buttons)
    app.connect("html-page-context", edit_the_source, priority=900)  # after the theme has made its buttons
    return {"parallel_read_safe": True, "parallel_write_safe": True}
