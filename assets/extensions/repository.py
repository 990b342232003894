"""The repository's buttons appear once `_config.yml` names its address (`repository: {url: …}`), and not before.

What one edits is what a page is made from: an exercise's solution, a translation's catalogue.
"""

import re

EXERCISE = re.compile(r"^exercises/(?P<stem>\w+)/(?P=stem)$")
CHAPTER = re.compile(r"^chapters/(?P<stem>\w+)$")


def show_buttons(app, config):
    if config.html_theme_options.get("repository_url"):
        config.html_theme_options.update(use_repository_button=True, use_edit_page_button=True)


def edit_the_source(app, pagename, templatename, context, doctree):
    source = source_of(pagename, app.config.language)
    for group in context.get("header_buttons", []) if source else []:
        for button in group.get("buttons", []):
            if button.get("label") == "source-edit-button":
                button["url"] = re.sub(rf"{re.escape(pagename)}\.(?:ipynb|md)", source, button["url"])


def source_of(pagename: str, language: str) -> str | None:
    """The file behind a page, where it is another than the page's own."""
    if exercise := EXERCISE.match(pagename):
        stem = exercise["stem"]
        return f"solutions/{stem}.py" if language == "ko" else f"locale/{language}/exercises/{stem}.po"
    chapter = CHAPTER.match(pagename)
    return f"locale/{language}/chapters/{chapter['stem']}.po" if chapter and language != "ko" else None


def setup(app):
    app.connect("config-inited", show_buttons)
    app.connect("html-page-context", edit_the_source, priority=900)  # after the theme has made its buttons
    return {"parallel_read_safe": True, "parallel_write_safe": True}
