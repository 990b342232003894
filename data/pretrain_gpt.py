"""Pretrain the course's tiny Korean GPT: the next token of every token of the tiny BERT's text.

    python -m course_data.pretrain_gpt --out build/tiny_gpt

The model is the book's own (solutions/gpt.py), so run it where the repository's root is on the import path. Text and
vocabulary are the tiny BERT's; each review stands between [CLS] and [SEP]. What came of it is in tiny_gpt/README.md.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable

import torch
import torch.nn.functional as F
from course_data import TINY_BERT, nsmc
from course_data.packing import CLS, PAD, SEP, NextTokenBatch, next_token_batches
from course_data.pretraining import ROW_LENGTH, VOCAB_SIZE, arguments, learn, save, tokenizer_of
from tokenizers import BertWordPieceTokenizer
from torch import Tensor
from transformers import GPT2Config, GPT2LMHeadModel

from solutions.gpt import GPT, CausalSelfAttention, GPTConfig, from_gpt2_state_dict, generate

ROWS = 8
PEAK_RATE = 3e-3
WARMUP = 100
CONFIG = dict(vocab_size=VOCAB_SIZE, n_positions=ROW_LENGTH, n_embd=192, n_layer=3, n_head=4)
DROPOUTS = ("embd_pdrop", "attn_pdrop", "resid_pdrop")
HELD_OUT = 1000  # reviews of the test split
PROMPTS = ["이 영화는", "배우들의", "정말"]


def attend(attention: CausalSelfAttention, x: Tensor, visible: Tensor) -> Tensor:
    """The book's causal attention with a mask that also ends at the borders of reviews, (B, 1, L, L)."""
    parts = attention.c_attn(x).chunk(3, dim=-1)
    query, key, value = (part.unflatten(-1, (attention.n_head, -1)).transpose(1, 2) for part in parts)
    mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=visible)
    return attention.c_proj(mixed.transpose(1, 2).flatten(2))


def next_token_loss(model: GPT, batch: NextTokenBatch) -> Tensor:
    """Mean cross-entropy of every token after a review's first; the model's dropouts are not applied."""
    parts = model.transformer
    x = parts.wte(batch.input_ids) + parts.wpe(batch.position_ids)
    for block in parts.h:
        x = x + attend(block.attn, block.ln_1(x), batch.attention_mask)
        x = x + block.mlp.c_proj(F.gelu(block.mlp.c_fc(block.ln_2(x)), approximate="tanh"))
    logits = model.lm_head(parts.ln_f(x).flatten(0, 1)[batch.predict_at])
    return F.cross_entropy(logits.float(), batch.predict_labels)


def as_hugging_face(model: GPT) -> GPT2LMHeadModel:
    """The same model as a GPT2LMHeadModel."""
    specials = dict(bos_token_id=CLS, eos_token_id=SEP, pad_token_id=PAD)
    theirs = GPT2LMHeadModel(GPT2Config(**vars(model.config), **specials))
    theirs.load_state_dict(from_gpt2_state_dict(model.state_dict()))
    return theirs


def evaluator(
    tokenizer: BertWordPieceTokenizer, held_out: list[list[int]], device: str
) -> Callable[[GPT], dict]:
    """A function: held-out loss of a model, and what it makes of the prompts, the likeliest token at a time."""
    held = [batch.to(device) for batch in next_token_batches(held_out, ROWS, ROW_LENGTH, seed=0)]
    prompts = [[CLS, *tokenizer.encode(prompt, add_special_tokens=False).ids] for prompt in PROMPTS]

    @torch.no_grad()
    def evaluate(model: GPT) -> dict:
        loss = sum(next_token_loss(model, batch).item() for batch in held) / len(held)
        written = []
        for prompt in prompts:
            ids = generate(model, torch.tensor([prompt], device=device), 24, temperature=0)[0, 1:].tolist()
            written.append(tokenizer.decode(ids[: ids.index(SEP)] if SEP in ids else ids))
        return {"held_out": loss, "written": written}

    return evaluate


def main() -> None:
    args = arguments(__doc__.splitlines()[0], steps=5400)
    torch.manual_seed(args.seed)
    args.out.mkdir(parents=True, exist_ok=True)
    shutil.copy(TINY_BERT / "vocab.txt", args.out)
    texts, _ = nsmc.load("train")
    tokenizer = tokenizer_of(args.out, texts)
    ids, held_out = (
        [e.ids for e in tokenizer.encode_batch(some, add_special_tokens=False)]
        for some in (texts, nsmc.load("test")[0][:HELD_OUT])
    )
    print(f"{len(ids)} reviews, {sum(map(len, ids))} tokens", flush=True)

    model = GPT(GPTConfig(**CONFIG, **dict.fromkeys(DROPOUTS, 0.0))).to(args.device)
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    learn(
        model,
        lambda model, batch: {"loss": next_token_loss(model, batch)},
        lambda number: next_token_batches(ids, ROWS, ROW_LENGTH, seed=1000 * args.seed + number),
        args,
        peak=PEAK_RATE,
        warmup=WARMUP,
        evaluate=evaluator(tokenizer, held_out, args.device),
    )
    save(as_hugging_face(model), args.out, DROPOUTS)


if __name__ == "__main__":
    main()
