// Words by which readers ask: which are one in other clothes, which only ask.
"use strict";

window.courseSearch ??= {};

courseSearch.alike = (() => {
  // The same whichever way it is said: in English, as that sounds, translated. The first of each names them.
  const words = (
    "loss 로스 손실, epoch 에폭 에포크, train 학습 훈련 트레이닝 재학습 retrain tr, batch 배치 bs, layer 층 레이어, transformer 트랜스포머 트랜스퍼머 tfm xformer 트랜스포머스, bert 버트, gpt 지피티, " +
    "gradient 그래디언트 그라디언트 기울기, output 출력 아웃풋, input 입력 인풋, position 위치 포지션 포지셔널 positional pos, word 단어 낱말, sentence 문장, generate 생성 generation, image 이미지 " +
    "사진 그림 picture photo, review 리뷰 후기 평 opinion, document 문서, memory 메모리, accuracy 정확도 성능, translate 번역 번역기 translation translator nmt, token 토큰, " +
    "tokenizer 토크나이저 tok, embedding 임베딩 emb embed 임배딩, head 헤드, mask 마스크 마스킹 masking, attention 어텐션 attn 어텟션 어텐숀, encoder 인코더 enc, decoder 디코더 dec, padding " +
    "패딩 pad 패드, prompt 프롬프트 프롬, parameter 파라미터 매개변수 param params 파람, weight 가중치 웨이트 웨이츠, vector 벡터, softmax 소프트맥스, norm 정규화 normalization 노름, dropout 드롭아웃, " +
    "label 라벨 레이블, sampling 샘플링, cache 캐시, fine-tuning 파인튜닝 미세조정 finetuning fine-tune finetune ft, pretraining 사전학습 프리트레이닝, code 코드, copyright 저작권 license " +
    "라이선스 라이센스, solution 답안 해답 정답지 풀이, class 수업 강의 교재, phone 휴대폰 핸드폰 스마트폰, gpu 그래픽카드 지피유, notebook 노트북 주피터 jupyter nb, llama 라마 llama3 llama2, expert 전문가, " +
    "slow 느림 느려 버벅, fast 빠르게 빠름 빨라 speed 속도 가속 faster, rnn 순환 recurrent, cnn 합성곱 convolution, vocabulary 어휘 vocab, shape 모양 shapes, order 순서 차례, forget 까먹 " +
    "잊 망각, repeat 반복 되풀이 loop looping 무한반복, explain 설명 explanation, sine sin 사인, cosine cos 코사인, reward 보상, oom 오오엠, chatbot 챗봇, copy 복사, window 윈도우 창, " +
    "beginner 입문 초보 초등학생 비전공자 eli5 newbie, compress 압축, detect 탐지, hallucination 환각, context 문맥 컨텍스트 맥락, length 길이, judge 심판 평가자 채점, evaluate 평가 " +
    "evaluation, benchmark 벤치마크 bench 벤치, contamination 오염, preference 선호, optimizer 옵티마이저 최적화 optimiser opt 옵티, schedule 스케줄 스케줄러 scheduler, variance 분산, " +
    "similarity 유사도 similar, divide 나누 divided, concat concatenate 이어붙 이어붙이, reshape view 리쉐입, index 인덱스, initialise 초기화 초기값 initialization initialize, " +
    "contradiction 모순, entailment 함의 수반, classify 분류 classification classifier 분류기 clf, predict 예측 prediction, freeze 동결 얼리 프리즈, quantise 양자화 quantization " +
    "quantize quantized quant 퀀트, distil 증류 distillation distill, router 라우터 라우팅 routing, gate 게이트 게이팅 gating, frequency 주파수 빈도, rotate 회전 rotation rotary " +
    "로터리, extrapolate 외삽 extrapolation, extend 확장 늘리 늘이, patch 패치, pixel 화소 픽셀, caption 캡션 캡셔닝, contrastive 대조, neuron 뉴런, circuit 회로, steer 스티어링 steering, " +
    "prune 가지치기 프루닝 pruning, remove 제거 삭제, policy 정책, baseline 베이스라인, throughput 처리량, latency 지연 지연시간, speculative 추측 투기적 스페큘레이티브, draft 초안, accept 수락 " +
    "acceptance, server 서버 서빙 serving serve, vram 브이램, bandwidth 대역폭, download 다운로드 내려받, install 설치, offline 오프라인 비행기 기차 plane, cite 인용 citation, summarise " +
    "요약 summary summarization summarize, dialogue 대화 chat 채팅, instruction 지시 지시문 인스트럭션, adapter 어댑터, merge 병합 합치, dataset 데이터셋 말뭉치 코퍼스 corpus, " +
    "hyperparameter 하이퍼파라미터 초매개변수 hparams 하이퍼파람, seed 시드, overfitting 과적합 오버피팅 overfit, plot 그래프 그림그리, visualise 시각화 visualize visualization, heatmap 히트맵, " +
    "cost 비용 복잡도 complexity, bigram 바이그램 2-gram 2그램, trigram 트라이그램 3-gram 3그램, n-gram n그램 ngrams 엔그램, explode 폭발 폭주 발산 diverge blow exploding, vanish 소실 " +
    "사라지 vanishing disappear, significant 유의 유의미 significance 우연, demo 데모 체험 시연 playground 해보기, formula 공식 수식 equation expression, response 응답 답변 대답 reply, " +
    "few-shot 퓨샷 few_shot, zero-shot 제로샷 zero_shot, one-shot 원샷, chunk 청크 덩어리, hidden 은닉 히든, bucket 버킷 bucketing, hash 해시 해싱 hashing, sparse 희소 스파스 " +
    "sparsity 성긴, linear 선형 리니어, span 스팬 범위, persistent 지속 영속 퍼시스턴트, slot 슬롯, retrieve 조회 lookup retrieval, feature 특징 피처 자질, autoencoder 오토인코더 자기부호화기, " +
    "lens 렌즈, logit 로짓 logits, probe 탐침 프로브 프로빙 probing, shuffle 섞 셔플 permute 뒤섞 scramble, swap 바꿔치기 맞바꾸, adversarial 적대적 적대, random 무작위 랜덤 임의 난수, " +
    "probability 확률 likelihood proba, distribution 분포, resolution 해상도, interpolate 보간 interpolation, vision 비전, register 레지스터, teacher 티처 교사 선생, shift 시프트 " +
    "밀기 밀어 shifted, law 법칙 laws, chinchilla 친칠라, flops 연산량 flop 계산량, bit 비트, byte 바이트, precision 정밀도 fp16 bf16 반정밀도 half-precision, rank 랭크, alpha 알파, beta " +
    "베타, lambda 람다, epsilon 엡실론 eps 입실론, gamma 감마, temperature 온도, penalty 벌점 패널티 페널티 penalise penalize, beam 빔 num_beams, greedy 탐욕 그리디 탐욕적, nucleus 뉴클리어스 " +
    "top-p top_p 탑피, top-k topk top_k 탑케이, perplexity 퍼플렉시티 혼란도 ppl, leaderboard 리더보드 순위표 순위, multiple-choice 객관식 choices 선다형, math 수학, validation 검증 valid " +
    "val dev, score 점수 스코어, hack 해킹 hacking, rollout 롤아웃, query 쿼리 질의, residual 잔차 레지듀얼 skip 스킵 shortcut 지름길, activation 활성값 활성화 액티베이션 활성, relu 렐루, gelu " +
    "젤루, sigmoid 시그모이드, saturate 포화 saturation, diagonal 대각선 대각, triangular 삼각 tril triu triangle, leak 누출 누설 leakage 새나, future 미래, infinite 무한 inf " +
    "infinity 무한대, polarity 극성, broadcast 브로드캐스트 broadcasting 브로드캐스팅, dimension 차원 dim dims 디멘션 디멘젼, matrix 행렬 matrices 매트릭스, multiply 곱셈 matmul " +
    "multiplication 행렬곱, tensor 텐서, device 장치 디바이스 cuda, accumulate 누적 accumulation, noise 잡음 노이즈, decay 감쇠 디케이, warmup 워밍업 warm-up 웜업, step 걸음 스텝, " +
    "diagnose 진단 debug 디버깅 디버그 troubleshoot, checkpoint 체크포인트, paper 논문, exercise 연습 연습문제 과제 숙제 homework assignment, glossary 용어집 용어 terminology, symbol 기호 " +
    "notation 표기 표기법, cheatsheet 치트시트 요약본 요약집, browser 브라우저 웹브라우저, javascript 자바스크립트 js, library 라이브러리, huggingface 허깅페이스 허깅 hf, syllable 음절, unicode 유니코드, " +
    "emoji 이모지 이모티콘, subword 서브워드 하위단어, spell 철자 spelling 맞춤법, homonym 다의어 동음이의어 polysemy polysemous, sarcasm 반어 반어법 비꼬 sarcastic irony, sentiment 감정 감성 " +
    "감정분석 감성분석, bias 편향 바이어스, extract 추출 extractive, delimiter 구분자 separator, parallel 병렬 parallelise parallelize 병렬화, sequential 순차 순차적, request 요청 동시접속, " +
    "imbalance 쏠림 쏠리 몰리 몰림 치우치 unbalanced skewed, collapse 붕괴 무너지 무너짐, drop 버려지 드랍 드롭 dropped, shared 공유 share, sink 싱크, hook 훅, stride 스트라이드 보폭, kernel " +
    "커널, bottleneck 병목 보틀넥, alignment 정렬 얼라인먼트, recipe 레시피, deterministic 결정적 결정론적, symmetric 대칭, invariance 불변 invariant, equivariance 등변 equivariant, " +
    "hypothesis 가설, ablation 어블레이션 제거실험 빼보기, capacity 수용량, scale 스케일 스케일링 scaling scaled 배율, quadratic 제곱 이차 squared square, exponent 지수 exponential exp, " +
    "logarithm 로그 log, wavelength 파장, period 주기, angle 각도, pair 쌍 짝 pairs, agree 일치 agreement, tie tying tied 묶기, beginning-token sos bos, end-token eos, " +
    "stop 멈추 멈춤 정지 중단, early-stopping 조기종료 얼리스탑, batchnorm 배치놈 배치정규화, layernorm 레이어놈 층정규화, rmsnorm 알엠에스놈, swiglu 스위글루, rope 로프, lora 로라, moe 엠오이, grpo 그르포, " +
    "dpo 디피오, clip-model 클립, vit 비아이티, dino 디노, yarn 얀, mamba 맘바, muon 뮤온, adam 아담, deepseek 딥시크, qwen 큐웬, gemma 젬마, mistral 미스트랄 mixtral 믹스트랄, kimi 키미, " +
    "gpt-2 gpt2 지피티2, bahdanau 바다나우 additive 덧셈 가산, luong 루옹, longformer 롱포머, linformer 린포머, performer 퍼포머, reformer 리포머, perceiver 퍼시버, wordpiece 워드피스, " +
    "sentencepiece 센텐스피스, roberta 로버타, electra 일렉트라, albert 앨버트, squad 스쿼드, imagenet 이미지넷, mnist 엠니스트, learning-rate lr 학습률 러닝레이트, sequence seq 시퀀스, " +
    "language-model lm llm 언어모델, model 모델"
  ).split(", ").map((row) => row.split(" "));

  // They ask, and say nothing about where the answer stands
  const asking = (
    "왜 어떻게 어떤 어느 무엇 무엇이 무엇을 무엇인가 무엇인가요 무엇입니까 뭐 뭔가 뭔가요 뭐야 뭘 언제 어디 어디서 어디에 누가 얼마나 몇 이유 이유는 까닭 방법 방법은 경우 차이 차이는 차이가 차이점 쓰면 쓰는 써야 하면 하는 되면 되는 있는 없는 나온 대신 서로 모두 " +
    "뜻 의미 것 때 때문 대해 대한 관한 관하여 그리고 또는 및 하나 하나요 하는가 합니까 하나요 있나 있나요 있는가 있습니까 필요 필요한 필요한가 필요한가요 필요합니까 만드나 만드나요 될 되나 되나요 되는가 쓰나 쓰나요 쓰는가 씁니까 인가 인가요 이란 란 수 좀 더 게 " +
    "걸 건 거 보는 다른 다른가요 다른지 다릅니까 달라요 같은가요 있어요 없어요 없나요 안 못 잘 말고 무슨 뭔지 뭐예요 뭐가 자꾸 개념 정의 궁금 궁금해요 알려줘 알려주세요 왜죠 뭐죠 뭐였죠 뭔데 뭐하는 뭐가요 진짜 정말 그냥 보통 꼭 안되나요 안되나 안돼요 되나요 돼요 " +
    "돼 되죠 같아요 싶어요 싶은데 싶습니다 이해하고 설명해주세요 쉽게 간단히 좋나요 좋은가요 좋아요 나은가 나은가요 낫나요 맞나요 맞죠 맞아요 runtimeerror typeerror valueerror indexerror attributeerror torch.size " +
    "expected got but 에러 오류 error 건가요 거죠 거예요 나와요 나오나요 나오는데 나오던데 나옴 뜸 떠요 떴어요 해야 해야해요 써요 쓰나요 써도 있을까요 있나 볼까요 알고 가능한가요 가능한가 어떡해 이거 그거 이게 그게 저는 제가 소리인지 말이에요 " +
    "말인가요 건가 같은 같은데 그렇게 이렇게 저렇게 원래 거라던데 정하는 좋을까 좋을까요 가능 해주세요 해요 하죠 하나씩 얼마로 얼마 그런지 그런가요 나온다던데 받아서 보여주고 the a an of in is to and what how why does do and for " +
    "with vs versus"
  ).split(" ");

  return { words, asking };
})();
