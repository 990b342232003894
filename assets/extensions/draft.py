"""With COURSE_DRAFT=1: an edition without outputs, built in a minute, to be read while the pages are executed."""

import os

WORDS = {
    "ko": "이 책의 계산 결과와 그림을 지금 만들고 있습니다. 몇 분 뒤에 이 페이지를 새로 고치면 보입니다.",
    "en": "The results and plots of this book are being computed. Reload this page in a few minutes to see them.",
}
LANGUAGE = "\nlanguage_info:\n  name: python\n  pygments_lexer: ipython3"


def leave_out_outputs(app, config):
    config.nb_execution_mode = "off"
    config.html_theme_options["announcement"] = WORDS.get(config.language, WORDS["en"])


def name_language(app, docname, source):
    """Otherwise the kernel does, by which code is coloured."""
    source[0] = source[0].replace("\nkernelspec:", LANGUAGE + "\nkernelspec:", 1)


def setup(app):
    if os.environ.get("COURSE_DRAFT"):
        app.connect("config-inited", leave_out_outputs, priority=100)  # before myst-nb reads the mode
        app.connect("source-read", name_language)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
