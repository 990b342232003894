"""The references on pictures and text against what we did not write, and against what people reported of others."""

import math

import pytest
import torch
from torch.nn import functional as F
from transformers import CLIPConfig, CLIPModel, LlavaConfig, LlavaForConditionalGeneration
from transformers.masking_utils import blockwise_overlay
from transformers.models.gemma3.modeling_gemma3 import get_block_sequence_ids_for_mask

from solutions.vision_language import clip_loss, dino_loss, insert_picture, prefix_mask, zero_shot


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture(scope="module")
def clip():
    small = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = CLIPConfig(
        text_config={**small, "vocab_size": 40, "bos_token_id": 1, "eos_token_id": 2},
        vision_config={**small, "image_size": 8, "patch_size": 4},
        projection_dim=6,
    )
    torch.manual_seed(0)
    return CLIPModel(config).double().eval()


def test_loss_and_scores_are_clips(clip):
    ids = torch.tensor([[1, 5, 9, 2], [1, 7, 3, 2], [1, 8, 8, 2]])
    with torch.no_grad():
        theirs = clip(input_ids=ids, pixel_values=random(3, 3, 8, 8), return_loss=True)
        found = clip_loss(3 * theirs.image_embeds, theirs.text_embeds / 2, clip.logit_scale)
        torch.testing.assert_close(found, theirs.loss, rtol=0, atol=1e-10)
        cosines = zero_shot(theirs.image_embeds, list(theirs.text_embeds[:, None]))
        torch.testing.assert_close(
            clip.logit_scale.exp() * cosines, theirs.logits_per_image, rtol=0, atol=1e-10
        )


def test_the_scale_stops_at_100():
    """As reported of others: a learned temperature without the paper's limit (cfoster0/CLAP#28)."""
    image, text = random(2, 5, 4)
    at_the_limit = clip_loss(image, text, torch.tensor(math.log(100)).double())
    torch.testing.assert_close(clip_loss(image, text, torch.tensor(9.0).double()), at_the_limit)


def test_accumulated_batches_are_another_loss():
    """As asked of others: what the targets 0 to n - 1 are (openai/CLIP#83), whether gradients of small batches add up
    to those of a large one (mertyg/vision-language-models-are-bows#4)."""
    image, text = random(2, 8, 4)
    scale = torch.tensor(2.0).double()
    whole = clip_loss(image, text, scale)
    parts = torch.stack([clip_loss(image[i : i + 2], text[i : i + 2], scale) for i in range(0, 8, 2)]).mean()
    order = torch.randperm(8, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(clip_loss(image[order], text[order], scale), whole)
    assert whole > parts + 0.5


def test_a_picture_in_a_text_is_llavas():
    """LLaVA in transformers keeps one placeholder a patch, the paper one for all: the logits are the same. The number of
    a placeholder may be the table's (huggingface/transformers#29836); labels are as long as what is read
    (haotian-liu/LLaVA#893)."""
    llm = {"model_type": "llama", "vocab_size": 30, "hidden_size": 16, "intermediate_size": 24,
           "num_hidden_layers": 1, "num_attention_heads": 2}  # fmt: skip
    eyes = {"model_type": "clip_vision_model", "hidden_size": 12, "intermediate_size": 16, "num_hidden_layers": 2,
            "num_attention_heads": 2, "image_size": 8, "patch_size": 4}  # fmt: skip
    torch.manual_seed(0)
    config = LlavaConfig(vision_config=eyes, text_config=llm, image_token_id=29)
    llava = LlavaForConditionalGeneration(config).double().eval()
    pixels = random(1, 3, 8, 8)
    ids, answer = torch.tensor([5, 29, 7, 3, 4]), torch.tensor([False, False, False, True, True])
    expanded = torch.tensor([[5, 29, 29, 29, 29, 7, 3, 4]])
    with torch.no_grad():
        patches = torch.cat(list(llava.get_image_features(pixel_values=pixels).pooler_output))
        table = llava.get_input_embeddings().weight
        vectors, labels = insert_picture(ids, answer, table, patches, 29)
        theirs = llava(
            input_ids=expanded,
            pixel_values=pixels,
            labels=expanded.masked_fill(torch.tensor([[True] * 6 + [False] * 2]), -100),
        )
        ours = llava(inputs_embeds=vectors[None], labels=labels[None])
    torch.testing.assert_close(ours.logits, theirs.logits, rtol=0, atol=1e-10)
    torch.testing.assert_close(ours.loss, theirs.loss, rtol=0, atol=1e-10)
    with pytest.raises(ValueError):
        insert_picture(torch.tensor([5, 7]), answer[:2], table, patches, 29)


def test_the_mask_is_gemma_3s():
    """As reported of others: all pictures saw each other (huggingface/transformers#38053)."""
    picture = torch.tensor([0, 1, 1, 0, 0, 2, 2, 2, 0, 3])
    groups = get_block_sequence_ids_for_mask((picture > 0).long()[None])
    within = blockwise_overlay(groups)
    theirs = torch.tensor([[bool(within(0, 0, q, k)) or k <= q for k in range(10)] for q in range(10)])
    assert torch.equal(prefix_mask(picture), theirs)
    assert not prefix_mask(picture)[1, 5]


def test_a_collapse_is_told_by_its_loss():
    """As reported of others: DINO's loss stays at 8.3178 (facebookresearch/dinov2#407), which is log 4096: even answers."""
    even = torch.zeros(2, 3, 4096, dtype=torch.float64)
    loss, center = dino_loss(even, even, torch.zeros(4096, dtype=torch.float64))
    assert loss.item() == pytest.approx(8.317766166719343, rel=1e-12)
    assert torch.equal(center, torch.zeros(4096, dtype=torch.float64))
    one = F.one_hot(torch.tensor([7]), 4096).double().expand(2, 3, -1)
    assert dino_loss(10 * one, 10 * one, torch.zeros(4096, dtype=torch.float64))[0] < 1e-10


def test_dino_loss_is_torchs_cross_entropy():
    student, teacher, center = random(5, 4, 6), random(2, 4, 6, seed=1), random(6, seed=2)
    targets = ((teacher - center) / 0.07).softmax(-1)
    losses = [F.cross_entropy(student[s] / 0.2, targets[t]) for t in range(2) for s in range(5) if s != t]
    found, _ = dino_loss(student, teacher, center, 0.2, 0.07)
    torch.testing.assert_close(found, torch.stack(losses).mean(), rtol=0, atol=1e-12)
