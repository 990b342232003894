"""Words of drawings stand out from what they lie on, by 4.5 to 1 as other text does: axe looks at none in an SVG."""

import pytest
from browsing import ROOT

STEMS = sorted(path.stem for path in (ROOT / "chapters").glob("*.md"))
PAGES = [f"{edition}chapters/{stem}" for edition in ("", "en/") for stem in STEMS]
ALIVE = """async () => {
  for (const fold of document.querySelectorAll("article details")) fold.open = true;
  for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
    scrollTo({ top: y, behavior: "instant" });
    await new Promise((done) => setTimeout(done, 30));
  }
}"""
# Of each faint word the ratio; what lies below its middle is asked of the page itself
FAINT = """() => {
  const colour = (css) => {
    const [r, g, b, alpha = 1] = css.match(/[\\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
    return { rgb: css.startsWith("color(srgb") ? [r, g, b].map((v) => 255 * v) : [r, g, b], alpha };
  };
  const over = (top, under, alpha) => top.map((v, i) => v * alpha + under[i] * (1 - alpha));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // Of a heat map, which is a picture in the drawing
  const pixel = (image, at) => {
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => image[name].baseVal.value);
    const point = at.matrixTransform(image.getScreenCTM().inverse());
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const drawn = canvas.getContext("2d");
    drawn.drawImage(image, 0, 0, width, height);
    const [r, g, b, alpha] = drawn.getImageData(point.x - x, point.y - y, 1, 1).data;
    return { rgb: [r, g, b], alpha: alpha / 255 };
  };
  const faint = {};
  for (const text of document.querySelectorAll(".bd-article svg text")) {
    if (!/[\\p{L}\\p{N}]/u.test(text.textContent) || !text.checkVisibility()) continue;
    text.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = text.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    let ground = colour(getComputedStyle(document.body).backgroundColor).rgb;
    for (const below of document.elementsFromPoint(x, y).reverse()) {
      const style = getComputedStyle(below);
      if (below instanceof SVGGeometryElement) {
        const inside = below.isPointInFill(new DOMPoint(x, y).matrixTransform(below.getScreenCTM().inverse()));
        const { rgb, alpha } = colour(style.fill);
        if (inside && style.fill !== "none") ground = over(rgb, ground, alpha * style.fillOpacity * style.opacity);
      } else if (below instanceof SVGImageElement) {
        const { rgb, alpha } = pixel(below, new DOMPoint(x, y));
        ground = over(rgb, ground, alpha * style.opacity);
      } else if (!(below instanceof SVGElement)) {
        const { rgb, alpha } = colour(style.backgroundColor);
        ground = over(rgb, ground, alpha);
      }
    }
    const style = getComputedStyle(text);
    let alpha = colour(style.fill).alpha * style.fillOpacity;
    for (let element = text; element instanceof SVGElement; element = element.parentElement) alpha *= getComputedStyle(element).opacity;
    const [light, dark] = [over(colour(style.fill).rgb, ground, alpha), ground].map(luminance).sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) faint[text.textContent.trim()] = Math.round(100 * ratio) / 100;
  }
  return faint;
}"""


@pytest.mark.parametrize(
    ("name", "theme"),
    [
        ("chapters/masking", "dark"),
        *(
            pytest.param(name, theme, marks=pytest.mark.exhaustive)
            for name in PAGES
            for theme in ("light", "dark")
        ),
    ],
)
def test_words_in_drawings_stand_out(visit, book_url, name, theme):
    page = visit(f"{book_url}/{name}.html", 390, theme)
    page.evaluate(ALIVE)
    assert page.locator(".lf-stage").count() > 0 or not name.endswith("masking")
    assert page.evaluate(FAINT) == {}


# White and black words on a shape, on a picture whose left half is black, and on such a picture under a thin white veil
WORDS_ON = """() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 200, height: 40 });
  const drawn = canvas.getContext("2d");
  drawn.fillStyle = "white";
  drawn.fillRect(0, 0, 200, 40);
  drawn.fillStyle = "black";
  drawn.fillRect(0, 0, 100, 40);
  const picture = (y) => `<image x="0" y="${y}" width="200" height="40" href="${canvas.toDataURL()}" />`;
  const word = (x, y, fill, text) => `<text x="${x}" y="${y}" fill="${fill}" font-size="12" text-anchor="middle">${text}</text>`;
  document.body.innerHTML = `<main class="bd-article"><svg width="200" height="160">
    <rect width="200" height="40" fill="#ddd" />${word(50, 24, "white", "shape")}${word(150, 24, "black", "good")}
    ${picture(50)}${word(50, 74, "white", "fine")}${word(150, 74, "white", "lost")}
    ${picture(100)}<rect y="100" width="200" height="40" fill="white" fill-opacity="0.9" />${word(50, 124, "white", "veiled")}${word(150, 124, "black", "clear")}
  </svg></main>`;
  return Promise.all([...document.querySelectorAll("image")].map((image) => image.decode()));
}"""


def test_a_faint_word_is_found_on_a_shape_and_on_a_picture(browser):
    page = browser.new_page()
    page.set_content("<body style='background: white'></body>")
    page.evaluate(WORDS_ON)
    faint = page.evaluate(FAINT)
    assert set(faint) == {"shape", "lost", "veiled"}
    assert faint["lost"] == 1
    page.close()
