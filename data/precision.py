"""In which precision the course's models learn."""

import torch


def half_precision(device: str) -> torch.autocast:
    """A context: bfloat16 on a GPU, float32 on a CPU, where bfloat16 takes three times as long without units for it."""
    on_gpu = torch.device(device).type == "cuda"
    return torch.autocast("cuda", torch.bfloat16, enabled=on_gpu)
