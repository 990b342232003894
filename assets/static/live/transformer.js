// A Transformer in 200 lines of JavaScript, without a library: the book's tiny BERT, tiny GPT and number translator.
// A matrix is its rows, one after the other, in one Float32Array: a row for each token. What is said of each part is
// in the chapters; how the weights arrive is in weights.js.
"use strict";

window.transformer = (() => {
  const matrix = (rows, width, data = new Float32Array(rows * width)) => ({ rows, width, data });
  const row = (x, i) => x.data.subarray(i * x.width, (i + 1) * x.width);

  function gather(table, ids) {
    const found = matrix(ids.length, table.width);
    ids.forEach((id, i) => found.data.set(row(table, id), i * table.width));
    return found;
  }

  function add(x, y) {
    return matrix(x.rows, x.width, x.data.map((value, i) => value + y.data[i]));
  }

  function append(x, y) {
    if (!x) return y;
    const longer = matrix(x.rows + y.rows, x.width);
    longer.data.set(x.data);
    longer.data.set(y.data, x.data.length);
    return longer;
  }

  function dot(a, b, length, atA, atB) {
    let sum = 0;
    for (let i = 0; i < length; i += 1) sum += a[atA + i] * b[atB + i];
    return sum;
  }

  // x Wᵀ + b: each number that goes out is a dot product of a row of x and a row of W.
  // Four rows of W at a time, which takes half the time: a number of x is fetched once for all four.
  function linear(x, { weight, bias }) {
    const y = matrix(x.rows, weight.rows);
    const [from, w, width] = [x.data, weight.data, x.width];
    let out = 0;
    for (; out + 3 < y.width; out += 4) {
      for (let i = 0; i < x.rows; i += 1) {
        let s = 0, t = 0, u = 0, v = 0;
        for (let k = 0, at = out * width; k < width; k += 1, at += 1) {
          const number = from[i * width + k];
          s += number * w[at];
          t += number * w[at + width];
          u += number * w[at + 2 * width];
          v += number * w[at + 3 * width];
        }
        const here = i * y.width + out;
        y.data[here] = s;
        y.data[here + 1] = t;
        y.data[here + 2] = u;
        y.data[here + 3] = v;
      }
    }
    for (; out < y.width; out += 1) {
      for (let i = 0; i < x.rows; i += 1) y.data[i * y.width + out] = dot(from, w, width, i * width, out * width);
    }
    return bias ? matrix(y.rows, y.width, y.data.map((value, i) => value + bias[i % y.width])) : y;
  }

  function layerNorm(x, { weight, bias }, epsilon) {
    const y = matrix(x.rows, x.width);
    for (let i = 0; i < x.rows; i += 1) {
      const from = row(x, i);
      const mean = from.reduce((sum, value) => sum + value, 0) / x.width;
      const variance = from.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.width;
      const scale = 1 / Math.sqrt(variance + epsilon);
      row(y, i).set(from.map((value, j) => (value - mean) * scale * weight[j] + bias[j]));
    }
    return y;
  }

  function softmax(scores) {
    const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
    const exps = scores.map((score) => Math.exp(score - most));
    const sum = exps.reduce((a, b) => a + b, 0);
    return exps.map((value) => value / sum);
  }

  // x Φ(x), with Abramowitz and Stegun's formula 7.1.26 for the error function (off by 1.5e-7 at most)
  function gelu(x) {
    const z = Math.abs(x) / Math.SQRT2;
    const t = 1 / (1 + 0.3275911 * z);
    const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
    const erf = Math.sign(x) * (1 - series * Math.exp(-z * z));
    return (x * (1 + erf)) / 2;
  }

  const geluByTanh = (x) => (x / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
  const relu = (x) => Math.max(x, 0);

  // Each head by itself: the weights of all its queries over the keys, and the values mixed by them.
  // Query i sees the first `visible(i)` keys.
  function attend(query, key, value, heads, visible) {
    const size = query.width / heads;
    const mixed = matrix(query.rows, value.width);
    const weights = [];
    for (let start = 0; start < query.width; start += size) {
      const map = matrix(query.rows, key.rows);
      for (let i = 0; i < query.rows; i += 1) {
        const scores = new Float32Array(visible(i));
        scores.forEach((_, j) => {
          const product = dot(query.data, key.data, size, i * query.width + start, j * key.width + start);
          scores[j] = product / Math.sqrt(size);
        });
        row(map, i).set(softmax(scores));
        for (let j = 0; j < scores.length; j += 1) {
          const weight = map.data[i * key.rows + j];
          for (let k = start; k < start + size; k += 1) {
            mixed.data[i * mixed.width + k] += weight * value.data[j * value.width + k];
          }
        }
      }
      weights.push(map);
    }
    return { mixed, weights };
  }

  // `memory` is what keys and values are made of; a `cache` keeps those of the tokens before.
  function multiHead(part, heads, x, { memory = x, causal = false, cache = {} } = {}) {
    const past = cache.key?.rows ?? 0;
    const key = append(cache.key, linear(memory, part.key));
    const value = append(cache.value, linear(memory, part.value));
    Object.assign(cache, { key, value });
    const visible = (i) => (causal ? past + i + 1 : key.rows);
    const { mixed, weights } = attend(linear(x, part.query), key, value, heads, visible);
    return { output: linear(mixed, part.merge), weights };
  }

  function feedForward(layer, x, activation) {
    const wide = linear(x, layer.widen);
    return linear(matrix(wide.rows, wide.width, wide.data.map(activation)), layer.narrow);
  }

  // Vaswani's order, and BERT's: add, then normalise. With a memory it is the decoder's layer.
  function postNormLayer(layer, x, { heads, epsilon }, activation, { memory, causal } = {}) {
    const own = multiHead(layer.attention, heads, x, { causal });
    x = layerNorm(add(x, own.output), layer.norm1, epsilon);
    const cross = memory && multiHead(layer.cross, heads, x, { memory });
    if (cross) x = layerNorm(add(x, cross.output), layer.norm2, epsilon);
    x = layerNorm(add(x, feedForward(layer, x, activation)), cross ? layer.norm3 : layer.norm2, epsilon);
    return { x, weights: (cross ?? own).weights };
  }

  class Bert {
    constructor(model) {
      Object.assign(this, model);
    }

    // The hidden states, and the attention weights: maps[layer][head]
    read(ids) {
      const { token, segment, position, norm } = this.weights.embedding;
      const places = ids.map((_, i) => i);
      const sum = add(add(gather(token, ids), gather(position, places)), gather(segment, ids.map(() => 0)));
      let x = layerNorm(sum, norm, this.settings.epsilon);
      const maps = this.weights.layers.map((layer) => {
        const done = postNormLayer(layer, x, this.settings, gelu);
        x = done.x;
        return done.weights;
      });
      return { hidden: x, maps };
    }

    // The logits of every word of the vocabulary at one place
    fill(hidden, place) {
      const { transform, norm, bias } = this.weights.fill;
      const one = linear(matrix(1, hidden.width, row(hidden, place)), transform);
      const ready = layerNorm(matrix(1, one.width, one.data.map(gelu)), norm, this.settings.epsilon);
      return linear(ready, { weight: this.weights.embedding.token, bias }).data;
    }
  }

  class Gpt {
    constructor(model) {
      Object.assign(this, model);
    }

    newCache() {
      return this.weights.layers.map(() => ({}));
    }

    // The logits of the token after `ids`, which continue what the cache has seen
    next(ids, cache = this.newCache()) {
      const { embedding, layers, norm } = this.weights;
      const { heads, epsilon } = this.settings;
      const past = cache[0].key?.rows ?? 0;
      let x = add(gather(embedding.token, ids), gather(embedding.position, ids.map((_, i) => past + i)));
      layers.forEach((layer, i) => {
        const before = layerNorm(x, layer.norm1, epsilon);
        x = add(x, multiHead(layer.attention, heads, before, { causal: true, cache: cache[i] }).output);
        x = add(x, feedForward(layer, layerNorm(x, layer.norm2, epsilon), geluByTanh));
      });
      const last = layerNorm(matrix(1, x.width, row(x, x.rows - 1)), norm, epsilon);
      return linear(last, { weight: embedding.token }).data;
    }
  }

  class Translator {
    constructor(model) {
      Object.assign(this, model);
    }

    embed(table, ids) {
      const words = gather(table, ids);
      const scaled = matrix(words.rows, words.width, words.data.map((value) => value * Math.sqrt(words.width)));
      return add(scaled, gather(this.weights.position, ids.map((_, i) => i)));
    }

    read(ids) {
      const start = this.embed(this.weights.source, ids);
      return this.weights.encoder.reduce((x, layer) => postNormLayer(layer, x, this.settings, relu).x, start);
    }

    // The logits after each of `ids`, and where each looks in the memory: maps[layer][head]
    write(ids, memory) {
      let x = this.embed(this.weights.target, ids);
      const maps = this.weights.decoder.map((layer) => {
        const done = postNormLayer(layer, x, this.settings, relu, { memory, causal: true });
        x = done.x;
        return done.weights;
      });
      return { logits: linear(x, this.weights.output), maps };
    }
  }

  return { Bert, Gpt, Translator, linear, matrix, row, softmax };
})();
