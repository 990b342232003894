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

  // How a chapter's matter is asked for by those who know none of its words yet; beginnings of words do
  const chapters = table({
    warm_up: "텐서, 행렬 곱, 브로드캐스팅, tensor, matrix multiplication, broadcasting",
    seq2seq: "고정 길이, 병목, 정렬, lstm, gru, fixed length, bottleneck, alignment",
    attention: "내적, 루트, dot product, square root",
    self_attention: "어텐션 제곱, 순환 신경망 대신, instead of rnn, instead of an rnn, why not rnn",
    multi_head_attention: "헤드 개수, 헤드 수, 여러 헤드, multiple heads, how many heads, concatenating heads",
    masking: "미래, 커닝, 누출, 가변 길이, 길이가 다른 문장, 길이가 다 다른, -inf, 삼각 행렬, future, peek, leak, variable length, different lengths, is_causal, triangular, tril",
    positional_encoding: "순서, 외삽, 상대 위치, 학습 때보다 긴, 배운 것보다 긴, 더 긴 문장, word order, order of words, extrapolat, relative position, longer sequence, longer than",
    add_norm: "기울기 소실, 깊은 층, 깊은 모델, vanishing, deep network, deep transformer",
    transformer: "번역기 만들, 번역 모델, 전체 구조, machine translation, translation model, whole architecture",
    training: "옵티마이저, 아담, adam, 배치 크기, 발산, 학습이 안, 클리핑, 재현, optimizer, optimiser, batch size, diverge, not learning, clipping, reproducib",
    decoding: "멈추, 같은 말, 반복, 길이 벌점, 생성 방법, stop generating, stop token, repeat, repetition, length penalty",
    tokenization: "서브워드, 형태소, 유니코드, 바이트, 신조어, 띄어쓰기, 모르는 단어, subword, morpheme, unicode, bytes, out of vocabulary, unknown word",
    bert: "문장 쌍, 문장 두 개, 양방향, 버트, sentence pair, two sentences, bidirectional",
    bert_pretraining: "빈칸 채우기, 빈칸 맞히기, 단어 전체 마스, 전체 단어 마스, cloze, fill in the blank, whole word mask, pretraining objective",
    sentiment: "감성, 감정, 긍정, 부정, 리뷰, 분류기, 문장 분류, classifier, text classification, positive or negative",
    gpt: "자기회귀, 다음 단어, 디코더만, autoregressive, next word, decoder only",
    gpt_finetuning: "챗봇, 대화, 지시, 퓨샷, chatbot, chat template, chat model, follow instructions, instruction, few shot, zero shot",
    ecosystem: "허깅페이스, 허깅 페이스, 불러오, 라이브러리, 파이프라인, 배포, load a model, load pretrained, pipeline, deploy",
    modern: "라마, 미스트랄, 최신 모델, 요즘 모델, llama, mistral, recent models, latest models",
    efficient_attention: "희소, 긴 문서, 긴 글, 메모리 부족, 롱포머, 제곱으로, 제곱에, sparse, long document, long text, out of memory, longformer, bigbird, quadratic",
    vit: "이미지, 사진, 비전, 합성곱, image, photo, vision, convolution, cnn",
    interpretability: "설명이 되, 설명이 될, 해석, 뉴런, 회로, 시각화, 들여다보, 훅, interpret, explanation, neuron, circuit, visuali, hook",
    adaptation: "파라미터 효율, 적은 파라미터, 어댑터, 동결, 선호, parameter efficient, peft, adapter, freeze, preference",
    adaptive_span: "범위를 배우, 볼 범위, learn the span, attention span",
    all_attention: "피드포워드를 없애, 피드포워드 없, 피드포워드 대신, 피드포워드를 빼, without feed forward, remove feed forward, remove the feed forward, replace the feed forward",
    product_key_memory: "기억 층, 메모리 층, 가장 가까운 키, memory layer, nearest key",
    model_cards: "모델 비교, 모델 카드, 문맥 길이, compare models, context length",
    how_to: "설치, 채점, 제출, 코랩, 오프라인, 노트북 실행, install, graded, grading, submit, colab, offline",
    sheet: "요약, 공식 모음, 한 장, cheat sheet, formula sheet, summary",
    notation: "기호, 표기, symbol, notation",
    javascript: "브라우저에서, in the browser",
  });

  return { same, words, absent, chapters };
})();
