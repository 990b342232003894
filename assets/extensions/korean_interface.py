"""Korean for the words of the interface that Sphinx, its themes and our templates hold in English, or that are badly translated."""

from gettext import NullTranslations

from sphinx.locale import translators

MESSAGES = {
    "Contents of the book": "책의 차례",
    "Contents of this page": "이 페이지의 차례",
    "First page": "첫 쪽",
    "Text and figures CC BY 4.0": "글과 그림 CC BY 4.0",
    "What was corrected": "고친 곳",
    "Code MIT": "코드 MIT",
    "Report a mistake in this section": "이 문단에 대해 알리기",
    "Report a mistake on this page": "이 페이지에 대해 알리기",
    "The book on two pages": "식과 코드 두 쪽 요약",
    "Search": "검색",
    "Search needs JavaScript.": "검색은 자바스크립트를 켜야 됩니다. 낱말은 용어집에도 있습니다.",
    "Glossary": "용어집",
    "Color mode": "밝기 바꾸기",
    "Light": "밝게",
    "Dark": "어둡게",
    "System Settings": "기기 설정대로",
    "On this page": "이 페이지",
    "Skip to main content": "본문으로 건너뛰기",
    "Back to top": "맨 위로",
    "Section Navigation": "책의 차례",
    "previous": "이전",
    "next": "다음",
    "previous page": "이전 페이지",
    "next page": "다음 페이지",
    "Download this page": "이 페이지 내려받기",
    "Download notebook file": "노트북 내려받기",
    "Download source file": "원본 내려받기",
    "Print to PDF": "인쇄하거나 PDF로 저장하기",
    "Source repositories": "책의 저장소",
    "Source repository": "책의 저장소",
    "Repository": "저장소",
    "Suggest edit": "이 페이지 고치기",
    "Version warning": "판 안내",
    "Link to this heading": "이 절의 주소",
    "Link to this image": "이 그림의 주소",
    "Link to this table": "이 표의 주소",
    "Link to this term": "이 낱말의 주소",
    "Link to this equation": "이 수식의 주소",
    "Link to this code": "이 코드의 주소",
    "Link to this definition": "이 정의의 주소",
}


class KoreanInterface(NullTranslations):
    """Our wording first, then the catalogue that was there before."""

    def gettext(self, message: str) -> str:
        return MESSAGES.get(message) or super().gettext(message)

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return MESSAGES.get(singular if n == 1 else plural) or super().ngettext(singular, plural, n)


def speak_korean(app, config):
    if config.language != "ko":
        return
    for key in [("general", "sphinx"), ("general", "booktheme")]:
        if key in translators:
            ours = KoreanInterface()
            ours.add_fallback(translators[key])
            translators[key] = ours
    app.translator = translators["general", "sphinx"]  # the one that templates use


def setup(app):
    app.connect("config-inited", speak_korean)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
