// From the text of a weights file (assets/extensions/live_weights.py) to matrices.
// Scripts are the only files that a page opened from disk may load, so the numbers come as base64: a matrix in whole
// numbers from -127 to 127 and one scale for each of its rows, a vector as it is.
"use strict";

window.decodeWeights = (() => {
  function bytes(base64) {
    const text = atob(base64);
    const found = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i += 1) found[i] = text.charCodeAt(i);
    return found;
  }

  const vector = (base64) => new Float32Array(bytes(base64).buffer);

  function decode({ rows, width, scales, values }) {
    if (!scales) return vector(values);
    const whole = new Int8Array(bytes(values).buffer);
    const scale = vector(scales);
    const data = new Float32Array(whole.length);
    for (let i = 0; i < data.length; i += 1) data[i] = whole[i] * scale[Math.floor(i / width)];
    return { rows, width, data };
  }

  // {"layers.0.norm1.bias": ...} to {layers: [{norm1: {bias: ...}}]}
  function nest(named) {
    const root = {};
    for (const [name, value] of Object.entries(named)) {
      const path = name.split(".");
      const last = path.pop();
      const parent = path.reduce((at, key, i) => (at[key] ??= /^\d/.test(path[i + 1] ?? last) ? [] : {}), root);
      parent[last] = value;
    }
    return root;
  }

  return (file) => ({
    settings: file.settings,
    weights: nest(Object.fromEntries(Object.entries(file.tensors).map(([name, tensor]) => [name, decode(tensor)]))),
  });
})();
