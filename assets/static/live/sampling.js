// Which token of a vocabulary comes next: drawn by temperature among the likeliest, without saying the same again, and
// without what no page says (coarse.js).
"use strict";

window.sampling = (() => {
  const NEVER = ["[PAD]", "[UNK]", "[CLS]", "[MASK]"];
  const PENALTY = 1.3; // Keskar et al. 2019 use 1.2 for a larger model
  const RECENT = 24;
  const SAME = 3; // no three tokens twice
  const LEAST = 2; // words of its own: a beginning that looks like a whole review would end at once

  // Tommy Ettinger's mulberry32: the same seed gives the same text, with the cache and without.
  function random(state) {
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
  }

  class Sampler {
    constructor(tokens) {
      this.tokens = tokens;
      this.never = new Set(NEVER.map((token) => tokens.indexOf(token)));
      this.mark = tokens.map((token) => /^(##)?[\p{P}\p{S}]+$/u.test(token));
      this.word = tokens.map((token) => /^(?!##|\[).*[\p{L}\p{N}]/u.test(token));
    }

    // Whether what the model has written may end: it begins as many words as a text must have
    mayEnd(own) {
      return own.filter((id) => this.word[id]).length >= LEAST;
    }

    // The tokens that would repeat what stands there: a mark after a mark, or three tokens that have been
    repeats(ids) {
      const found = new Set();
      if (this.mark[ids.at(-1)]) this.mark.forEach((is, id) => is && found.add(id));
      const tail = ids.slice(1 - SAME).join();
      for (let i = 0; i + SAME <= ids.length; i++) {
        if (ids.slice(i, i + SAME - 1).join() === tail) found.add(ids[i + SAME - 1]);
      }
      return found;
    }

    // Whether a token would end in a coarse word: it may continue the word that stands there
    coarsens(ids, id) {
      let word = this.tokens[id];
      for (let i = ids.length; word.startsWith("##") && i > 0; ) word = this.tokens[ids[--i]] + word.slice(2);
      return coarse(word);
    }

    // One id; k = 0 draws from all, without: an id that may not come
    draw(logits, ids, { temperature, k, fresh, without, random }) {
      const scores = Float32Array.from(logits);
      if (fresh) {
        for (const id of new Set(ids.slice(-RECENT))) if (!this.mark[id]) scores[id] = scores[id] > 0 ? scores[id] / PENALTY : scores[id] * PENALTY;
      }
      const out = fresh ? this.repeats(ids) : new Set();
      const allowed = [...scores.keys()].filter((id) => id !== without && !this.never.has(id) && !out.has(id));
      const kept = [];
      for (const id of allowed.sort((a, b) => scores[b] - scores[a])) {
        if (kept.length === (k || allowed.length)) break;
        if (!this.coarsens(ids, id)) kept.push(id);
      }
      const shares = transformer.softmax(Float32Array.from(kept, (id) => scores[id] / temperature));
      let left = random();
      return kept[shares.findIndex((share) => (left -= share) < 0)] ?? kept[0];
    }
  }

  return { Sampler, random };
})();
