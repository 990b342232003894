// A number's English words and its Korean syllables, as num2words has them: the number translator's task.
"use strict";

window.numberWords = (() => {
  const SMALL =
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(" ");
  const TENS = "  twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
  const [DIGITS, PLACES] = ["영일이삼사오육칠팔구", ["", "십", "백", "천"]];

  function belowThousand(n) {
    if (n < 20) return n ? [SMALL[n]] : [];
    if (n < 100) return [TENS[Math.floor(n / 10)], ...belowThousand(n % 10)];
    const rest = belowThousand(n % 100);
    return [SMALL[Math.floor(n / 100)], "hundred", ...(rest.length ? ["and", ...rest] : [])];
  }

  function english(n) {
    if (n === 0) return ["zero"];
    const [millions, thousands, ones] = [Math.floor(n / 1e6), Math.floor(n / 1e3) % 1e3, n % 1e3];
    const found = [];
    if (millions) found.push(...belowThousand(millions), "million");
    if (thousands) found.push(...belowThousand(thousands), "thousand");
    if (found.length && ones && ones < 100) found.push("and");
    return [...found, ...belowThousand(ones)];
  }

  // Four digits; a 1 before a unit stays unsaid.
  function fourDigits(n) {
    const digits = [...String(n)].map(Number);
    return digits.map((digit, i) => {
      const place = PLACES[digits.length - 1 - i];
      return digit ? (digit === 1 && place ? "" : DIGITS[digit]) + place : "";
    }).join("");
  }

  function korean(n) {
    if (n === 0) return ["영"];
    const [high, low] = [Math.floor(n / 1e4), n % 1e4];
    const head = high ? (high === 1 ? "" : fourDigits(high)) + "만" : "";
    return [...(head + (low ? fourDigits(low) : ""))];
  }

  return { english, korean };
})();
