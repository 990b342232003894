// WordPiece as the tokenizers library does it for the book's vocabulary: cased, Hangul syllables whole.
"use strict";

window.WordPiece = class {
  static SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
  static LONGEST_WORD = 100;

  constructor(vocabulary) {
    this.tokens = vocabulary;
    this.ids = new Map(vocabulary.map((token, id) => [token, id]));
  }

  // Words and punctuation marks, each by itself; Chinese characters, too
  static words(text) {
    const clean = text.replace(/[\t\n\r]/g, " ").replace(/\uFFFD|\p{C}/gu, "");
    const alone = /[!-/:-@[-`{-~]|\p{P}|[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu;
    return clean.replace(alone, " $& ").split(/\p{White_Space}+/u).filter(Boolean);
  }

  // The longest piece of the vocabulary first; a word that cannot be cut up is unknown as a whole
  pieces(word) {
    const letters = [...word];
    if (letters.length > WordPiece.LONGEST_WORD) return ["[UNK]"];
    const found = [];
    for (let start = 0; start < letters.length; ) {
      let end = letters.length;
      const piece = () => (start ? "##" : "") + letters.slice(start, end).join("");
      while (end > start && !this.ids.has(piece())) end -= 1;
      if (end === start) return ["[UNK]"];
      found.push(piece());
      start = end;
    }
    return found;
  }

  tokenize(text) {
    const parts = text.split(/(\[(?:PAD|UNK|CLS|SEP|MASK)\])/);
    return parts.flatMap((part) =>
      WordPiece.SPECIAL.includes(part) ? [part] : WordPiece.words(part).flatMap((word) => this.pieces(word))
    );
  }

  encode(text) {
    return this.tokenize(text).map((token) => this.ids.get(token));
  }

  // Whether a model that has read Korean alone knows nothing of a word: of letters that it lacks, or foreign and in pieces
  isStrange(word) {
    const pieces = this.pieces(word);
    return pieces.includes("[UNK]") || (pieces.length > 1 && /\p{L}/u.test(word) && !/\p{Script=Hangul}/u.test(word));
  }

  strange(text) {
    const words = WordPiece.words(text.replaceAll("[MASK]", " "));
    return [...new Set(words.filter((word) => this.isStrange(word)))];
  }

  // Text from tokens: a piece that continues a word stands next to it, and so do marks.
  decode(ids) {
    const tokens = ids.map((id) => this.tokens[id]).filter((token) => !["[PAD]", "[CLS]", "[SEP]"].includes(token));
    return tokens.join(" ").replaceAll(" ##", "").replace(/ ([.,?!~)…]|\.\.\.)/g, "$1");
  }
};
