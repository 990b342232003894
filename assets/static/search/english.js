// What the search must know of English, where Korean has particles: inflections, two spellings, words that ask.
"use strict";

window.courseSearch ??= {};

courseSearch.language = (() => {
  const table = (rows) => new Map(Object.entries(rows)); // constructor is a word, and no row
  const IRREGULAR = table({ axes: "axis", indices: "index", matrices: "matrix", vertices: "vertex", biases: "bias", bias: "bias", analyses: "analysis", hypotheses: "hypothesis" });
  const ROOTS = table({ axis: "ax", index: "ind", matrix: "matri", vertex: "vert", bias: "bias", analysis: "analys", hypothesis: "hypothes" });

  // In small letters, of the same length: normalize is normalise, and what colour has more than color is a hyphen
  const fold = (text) => text.replace(/iz(?=[aei])/g, "is").replace(/(?<=\b(?:col|fav|behavi|neighb|hon|lab)o)u(?=r)/g, "-");

  function singular(word) {
    if (IRREGULAR.has(word)) return IRREGULAR.get(word);
    if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
    if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
    if (/^(?:[cgt]pu|glu|\w*[ei]lu)s$/.test(word)) return word.slice(0, -1); // no bus, no corpus
    return word.length > 3 && /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
  }

  // Without plural, -ing and -ed; -isation is the verb's -ise. Endings alone: attention is not to attend, nor position positive.
  const stems = new Map(); // names are looked at again with each query
  function stem(word) {
    if (!stems.has(word)) stems.set(word, stemmed(word));
    return stems.get(word);
  }

  function stemmed(word) {
    let base = singular(word);
    if (base.endsWith("isation")) base = base.slice(0, -5);
    else if (!base.endsWith("eed")) base = base.replace(/^(.*[aeiouy].*)(?:ing|ed)$/, (whole, before) => (before.length > 2 ? before : whole));
    return base.replace(/([^aeiou])\1$/, "$1").replace(/e$/, "").replace(/y$/, "i");
  }

  // Whether two words are forms of one: probe and probing are, prob and probes are not
  const inflected = (word) => /(?:ing|ed|isation)$/.test(word);
  const same = (a, b) =>
    stem(a) === stem(b) && (inflected(a) || inflected(b) || singular(a).endsWith("e") === singular(b).endsWith("e"));

  // What all forms of a word begin with
  function root(word) {
    const base = stem(word);
    if (ROOTS.has(base)) return ROOTS.get(base);
    let length = 0;
    while (length < base.length && base[length] === word[length]) length += 1;
    return word.slice(0, length) || word; // y, of which the stem is i
  }

  const asking = (
    "are be been being can could did does has have had how i if it its just many may more most much must need needed not of on or our please shall " +
    "should so than that their them then there these they this those us use used uses using was we were what when where whether which while who " +
    "whose will would you your between difference explain happen happens makes make mean meaning means work works work get gets by from at as about into no one only every each show same my me myself know want need really always too also go goes going come comes coming find like good better just still some any all again"
  ).split(" ");

  return { fold, stem, same, root, asking };
})();
