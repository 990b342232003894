"""One thread: two processes on two cores are faster than two that fight for both."""

import torch

torch.set_num_threads(1)
