"""The models of `course_data` and of assets/models as files that a page can load: what assets/static/live/weights.js reads.

A page opened from disk can load scripts and nothing else, so the numbers stand in a script, as base64. A matrix is
rounded to whole numbers from -127 to 127, with one scale for each row (8 bits instead of 16; what that costs is in
benchmarks/README.md); vectors stay float32. The parts get one name in all models, that of transformer.js.
"""

import base64
import functools
import json
import re
from pathlib import Path

import numpy as np
from course_data import TINY_BERT, TINY_GPT
from safetensors.numpy import load_file

MODELS = Path(__file__).resolve().parent.parent / "models"
SOURCES = {
    "tiny_bert": TINY_BERT / "model.safetensors",
    "tiny_gpt": TINY_GPT / "model.safetensors",
    "sentiment_few": MODELS / "sentiment" / "few.safetensors",
    "sentiment_many": MODELS / "sentiment" / "many.safetensors",
    "number_translator": MODELS / "number_translator" / "model.safetensors",
}

# What a name in a model's file is here; whatever fits no line is not needed in the page
BERT = [
    (r"bert\.embeddings\.(word|position|token_type)_embeddings\.weight", r"embedding.\1"),
    (r"bert\.embeddings\.LayerNorm\.(\w+)", r"embedding.norm.\1"),
    (r"bert\.encoder\.layer\.(\d+)\.attention\.self\.(\w+)\.(\w+)", r"layers.\1.attention.\2.\3"),
    (r"bert\.encoder\.layer\.(\d+)\.attention\.output\.dense\.(\w+)", r"layers.\1.attention.merge.\2"),
    (r"bert\.encoder\.layer\.(\d+)\.attention\.output\.LayerNorm\.(\w+)", r"layers.\1.norm1.\2"),
    (r"bert\.encoder\.layer\.(\d+)\.intermediate\.dense\.(\w+)", r"layers.\1.widen.\2"),
    (r"bert\.encoder\.layer\.(\d+)\.output\.dense\.(\w+)", r"layers.\1.narrow.\2"),
    (r"bert\.encoder\.layer\.(\d+)\.output\.LayerNorm\.(\w+)", r"layers.\1.norm2.\2"),
    (r"cls\.predictions\.bias", r"fill.bias"),
    (r"cls\.predictions\.transform\.dense\.(\w+)", r"fill.transform.\1"),
    (r"cls\.predictions\.transform\.LayerNorm\.(\w+)", r"fill.norm.\1"),
]
SENTIMENT = [(pattern.removeprefix(r"bert\."), name) for pattern, name in BERT]  # of each matrix A and B
SENTIMENT.append((r"head\.(\w+)", r"head.\1"))
GPT = [
    (r"transformer\.wte\.weight", r"embedding.token"),
    (r"transformer\.wpe\.weight", r"embedding.position"),
    (r"transformer\.h\.(\d+)\.ln_([12])\.(\w+)", r"layers.\1.norm\2.\3"),
    (r"transformer\.h\.(\d+)\.attn\.c_attn\.(\w+)", r"layers.\1.attention.qkv.\2"),
    (r"transformer\.h\.(\d+)\.attn\.c_proj\.(\w+)", r"layers.\1.attention.merge.\2"),
    (r"transformer\.h\.(\d+)\.mlp\.c_fc\.(\w+)", r"layers.\1.widen.\2"),
    (r"transformer\.h\.(\d+)\.mlp\.c_proj\.(\w+)", r"layers.\1.narrow.\2"),
    (r"transformer\.ln_f\.(\w+)", r"norm.\1"),
]
TRANSLATOR = [
    (r"(src|tgt)_embedding\.weight", r"\1"),
    (r"position\.weight", r"position"),
    (r"(\w+)\.layers\.(\d+)\.self_attn\.in_proj_(\w+)", r"\1.\2.attention.qkv.\3"),
    (r"(\w+)\.layers\.(\d+)\.self_attn\.out_proj\.(\w+)", r"\1.\2.attention.merge.\3"),
    (r"(\w+)\.layers\.(\d+)\.multihead_attn\.in_proj_(\w+)", r"\1.\2.cross.qkv.\3"),
    (r"(\w+)\.layers\.(\d+)\.multihead_attn\.out_proj\.(\w+)", r"\1.\2.cross.merge.\3"),
    (r"(\w+)\.layers\.(\d+)\.linear1\.(\w+)", r"\1.\2.widen.\3"),
    (r"(\w+)\.layers\.(\d+)\.linear2\.(\w+)", r"\1.\2.narrow.\3"),
    (r"(\w+)\.layers\.(\d+)\.norm(\d)\.(\w+)", r"\1.\2.norm\3.\4"),
    (r"generator\.(\w+)", r"output.\1"),
]
SHORTER = {
    "embedding.word": "embedding.token",
    "embedding.token_type": "embedding.segment",
    "src": "source",
    "tgt": "target",
}


def renamed(tensors: dict[str, np.ndarray], names: list[tuple[str, str]]) -> dict[str, np.ndarray]:
    """The tensors that the page needs by their names there, float32; query, key and value apart."""
    found = {}
    for name, tensor in tensors.items():
        match, new = next(
            ((m, new) for pattern, new in names if (m := re.fullmatch(pattern, name))), (None, None)
        )
        if not match:
            continue
        new = match.expand(new)
        new = SHORTER.get(new, new)
        tensor = tensor.astype(np.float32)
        if names is GPT and tensor.ndim == 2 and new.startswith("layers"):
            tensor = tensor.T  # GPT-2 keeps (in, out)
        if ".qkv." in new:
            for part, third in zip(("query", "key", "value"), np.split(tensor, 3), strict=True):
                found[new.replace("qkv", part)] = third
        else:
            found[new] = tensor
    return found


def quantised(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole numbers and the scale of each row: scale times whole number is the row, but for the rounding."""
    scales = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / 127
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def as_json(tensor: np.ndarray) -> dict:
    if tensor.ndim == 1:
        return {"values": base64_of(tensor)}
    whole, scales = quantised(tensor)
    rows, width = tensor.shape
    return {"rows": rows, "width": width, "scales": base64_of(scales), "values": base64_of(whole)}


def base64_of(array: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


def model(name: str) -> tuple[dict[str, np.ndarray], dict]:
    """A model's tensors as the page names them, and what else the page must know of it."""
    folder = SOURCES[name].parent
    tensors = load_file(SOURCES[name])
    if name.startswith("sentiment"):
        return renamed(tensors, SENTIMENT), {"settings": {}}
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if name == "number_translator":
        about = {"settings": {"heads": config["heads"], "epsilon": 1e-5}}
        return renamed(tensors, TRANSLATOR), about | {key: config[key] for key in ("source", "target")}
    vocabulary = {"vocabulary": (folder / "vocab.txt").read_text(encoding="utf-8").split()}
    if name == "tiny_gpt":
        settings = {
            "heads": config["n_head"],
            "epsilon": config["layer_norm_epsilon"],
            "places": config["n_positions"],
        }
        return renamed(tensors, GPT), {"settings": settings} | vocabulary
    settings = {
        "heads": config["num_attention_heads"],
        "epsilon": config["layer_norm_eps"],
        "places": config["max_position_embeddings"],
    }
    return renamed(tensors, BERT), {"settings": settings} | vocabulary


@functools.cache
def script(name: str) -> str:
    """The text of a model's file."""
    tensors, about = model(name)
    file = about | {"tensors": {tensor: as_json(values) for tensor, values in tensors.items()}}
    return f"live.files.{name} = {json.dumps(file, ensure_ascii=False, separators=(',', ':'))};\n"
