// What readers call things elsewhere, where the book has another word for it, or has not got it.
"use strict";

window.courseSearch ??= {};

courseSearch.spoken = (() => {
  const table = (rows) => Object.entries(rows).map(([own, names]) => [own, names.split(", ")]);

  // Terms of the glossary, by their English names, which both editions hold
  const same = table({
    "ablation": "어블레이션",
    "activation patching": "액티베이션 패칭, causal tracing",
    "additive attention": "bahdanau, 바다나우, 바흐다나우",
    "attention weight": "attention score, attention map, 어텐션 맵",
    "bilingual evaluation understudy": "블루, 블루 점수, bleu score",
    "batch normalization": "batchnorm, batch norm, 배치 노름",
    "contrastive learning": "컨트라스티브 러닝",
    "cross-entropy": "ce loss, nll",
    "delta rule": "델타 룰",
    "early stopping": "얼리스탑, 얼리 스톱, 얼리스타핑, early stop",
    "gradient accumulation": "그래디언트 누적, 그라디언트 누적",
    "gradient clipping": "그래디언트 클리핑, 그라디언트 클리핑",
    "grouped-query attention": "gqa, mqa, multi-query attention, 멀티쿼리 어텐션",
    "inductive bias": "인덕티브 바이어스",
    "key": "k",
    "key–value cache": "kv cache, kv caching, kv 캐싱, 키밸류 캐시",
    "layer normalization": "layernorm, layer norm, 레이어 노름",
    "linear attention": "리니어 어텐션",
    "load balancing loss": "로드 밸런싱 로스, auxiliary loss, aux loss",
    "look-ahead mask": "코절 마스크, 커절 마스크, 코잘 마스크, 커잘 마스크",
    "loss": "로스, 로스값",
    "low-rank adapter": "lora, 로라",
    "mask": "attention mask, 어텐션 마스크",
    "masked language model": "mlm, 마스크드 언어모델, 마스크드 랭귀지 모델",
    "mixture of experts": "moe, 엠오이",
    "multi-head attention": "mha, multiple heads",
    "Muon": "뮤온",
    "next sentence prediction": "nsp",
    "perplexity": "ppl, 혼란도",
    "permutation equivariance": "순열 불변, permutation invariance",
    "policy gradient": "정책 경사, 폴리시 그래디언트",
    "position-wise feed-forward network": "ffn, feed forward, feed forward network",
    "positional encoding": "sinusoidal, sinusoidal encoding, 사인 인코딩",
    "query": "q",
    "quantization": "퀀타이즈",
    "residual connection": "skip connection, shortcut connection, 숏컷",
    "residual stream": "레지듀얼 스트림",
    "reward model": "리워드 모델",
    "rotary position embedding": "rope, 로프, 로터리, 로터리 포지션 임베딩",
    "scaled dot-product attention": "sdpa, qkv, q k v, query key value, 쿼리 키 밸류",
    "sliding window": "슬라이딩 윈도우",
    "soft prompt": "prompt tuning, prefix tuning, p-tuning, 프롬프트 튜닝, 프리픽스 튜닝",
    "sparse autoencoder": "sae, 스파스 오토인코더",
    "superposition": "슈퍼포지션",
    "value": "v",
  });

  // Words that are no terms, as they stand in one of the editions
  const words = table({
    "8비트": "양자화, quantization",
    "8 bits": "quantization, quantized",
    "chatgpt": "챗gpt, 챗지피티",
    "flash": "플래시",
    "추측 디코딩": "투기적 디코딩, 투기 디코딩, 투기적 추론, 스페큘레이티브 디코딩",
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
    "embedding": "word2vec, glove, fasttext, 워드투벡",
    "fine-tuning": "transfer learning, 전이학습",
    "in-context learning": "rag, 검색 증강, 검색 증강 생성, retrieval augmented generation, agent, 에이전트, prompt engineering, 프롬프트 엔지니어링",
    "language model": "hallucination, 환각, 할루시네이션, claude, 클로드, gemini, 제미나이",
    "masked language model": "electra, albert, distilbert",
    "patch": "diffusion, 디퓨전, 확산 모델, stable diffusion, gan",
    "positional encoding": "alibi",
    "preference learning": "chatgpt, 챗gpt, 챗지피티, alignment tuning",
  });

  return { same, words, absent };
})();
