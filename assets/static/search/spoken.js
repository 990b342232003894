// What readers call things elsewhere, where the book has another word for it, or has not got it.
"use strict";

window.courseSearch ??= {};

courseSearch.spoken = (() => {
  const table = (rows) => Object.entries(rows).map(([own, names]) => [own, names.split(", ")]);

  // Terms of the glossary, by their English names, which both editions hold
  const same = table({
    "additive attention": "bahdanau, 바다나우",
    "attention weight": "attention score, attention map, 어텐션 맵",
    "bilingual evaluation understudy": "블루, 블루 점수, bleu score",
    "batch normalization": "batchnorm, batch norm, 배치놈, 배치 노름",
    "grouped-query attention": "gqa, mqa, multi-query attention, 멀티쿼리 어텐션",
    "key": "k",
    "key–value cache": "kv cache, kv caching, kv 캐싱, 키밸류 캐시",
    "layer normalization": "layernorm, layer norm, 레이어놈, 레이어 노름",
    "low-rank adapter": "lora, 로라",
    "mask": "attention mask, 어텐션 마스크",
    "masked language model": "mlm",
    "multi-head attention": "mha, multiple heads",
    "next sentence prediction": "nsp",
    "perplexity": "ppl, 혼란도",
    "position-wise feed-forward network": "ffn",
    "positional encoding": "sinusoidal, sinusoidal encoding, 사인 인코딩",
    "query": "q",
    "residual connection": "skip connection, shortcut connection, 숏컷",
    "rotary position embedding": "rope, 로프",
    "scaled dot-product attention": "sdpa, qkv, q k v, query key value, 쿼리 키 밸류",
    "soft prompt": "prompt tuning, prefix tuning, p-tuning, 프롬프트 튜닝, 프리픽스 튜닝",
    "value": "v",
  });

  // Words that are no terms, as they stand in one of the editions
  const words = table({
    "8비트": "양자화, quantization",
    "8 bits": "quantization, quantized",
    "chatgpt": "챗gpt, 챗지피티",
    "flash": "플래시",
    "flashattention": "플래시 어텐션",
    "그림": "이미지",
    "수": "개수, 갯수",
    "비용": "복잡도, 시간 복잡도, 계산 복잡도",
    "탐침": "probing",
    "시퀀스에서 시퀀스로": "seq2seq, 시퀀스투시퀀스",
    "sequence to sequence": "seq2seq",
    "일정": "스케줄, 스케줄러, 스케줄링",
    "llama": "라마",
    "잊": "망각, 파국적 망각, catastrophic forgetting",
    "schedule": "scheduler",
    "임베딩 표를 함께": "가중치 공유, 가중치 묶기, weight tying, weight sharing",
    "임베딩을 함께": "가중치 공유, 가중치 묶기, weight tying, weight sharing",
  });

  // What the book does not have, under the term that comes nearest
  const absent = table({
    "ablation": "pruning, 가지치기, 프루닝",
    "embedding": "word2vec, glove, fasttext, 워드투벡",
    "fine-tuning": "transfer learning, 전이학습, instruction tuning, 지시 튜닝, distillation, knowledge distillation, 증류, 지식 증류",
    "in-context learning": "rag, 검색 증강, 검색 증강 생성, retrieval augmented generation, agent, 에이전트, chain of thought, 사고의 사슬, prompt engineering, 프롬프트 엔지니어링",
    "key–value cache": "speculative decoding, 추측 디코딩, vllm, paged attention",
    "language model": "hallucination, 환각, 할루시네이션, scaling law, 스케일링 법칙, claude, 클로드, gemini, 제미나이",
    "masked language model": "roberta, electra, albert, distilbert",
    "patch": "diffusion, 디퓨전, 확산 모델, stable diffusion, gan, multimodal, 멀티모달",
    "positional encoding": "alibi, yarn",
    "preference learning": "chatgpt, 챗gpt, 챗지피티, reinforcement learning, 강화학습, rlhf, ppo, alignment tuning",
    "recurrent neural network": "mamba, 맘바, state space model, 상태 공간 모델, ssm, rwkv",
  });

  return { same, words, absent };
})();
