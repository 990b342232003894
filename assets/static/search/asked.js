// The words in which readers ask for a page who know none of its own yet (chapters/asked), found by their stems.
"use strict";

courseSearch.asked = (() => {
  const { HANGUL, endings } = courseSearch.text;
  const { jamo, syllable } = courseSearch.hangul;

  // How verbs end where people talk, beside the endings of nouns; in letters, longest first
  const SPOKEN =
    "한테 하나 해서 했어요 돼요 됐어요 습니까 습니다 ㅂ니까 ㅂ니다 는가요 나요 ㄴ가요 은가요 을까요 ㄹ까요 는가 ㄴ가 은가 을까 ㄹ까 네요 지요 죠 는데요 는데 은데 ㄴ데 는지 은지 ㄴ지 을지 ㄹ지 " +
    "ㄴ다 는다 려면 으려면 려고 으려고 으면 거나 도록 던 자 어요 아요 여요 ㅓ요 ㅏ요 ㅕ요 ㅝ요 ㅘ요 ㅐ요 어서 아서 여서 ㅓ서 ㅏ서 ㅕ서 ㅝ서 ㅘ서 ㅐ서 어도 아도 었어요 았어요 ㅆ어요 " +
    "었다 았다 ㅆ다 었는데 았는데 ㅆ는데 더니 던데 다던데 ㄴ다던데 는다던데 라던데 다고 ㄴ다고 는다고 냐고 다면 ㄴ다면 는다면 니까 으니까 길래 다가 잖아요 거든요 는데도 ㄴ데도 ㄹ수록 을수록 " +
    "어야 아야 ㅓ야 ㅏ야 ㅐ야 었 았 ㅆ 어 아 기 지 게 네 니 냐 다 음 ㅁ ㄴ ㄹ 요";
  const ENDINGS = new Set([...endings, ...SPOKEN.split(" ")].map(jamo));
  const LONGEST = Math.max(...[...ENDINGS].map((ending) => ending.length));
  const SUFFIX = /(?:ations?|itions?|ions?|ings?|ments?|ness|ers?|ors?|est|ed|es|ly|al|ise|ize|s|e|y)$/;
  const LEAST = 3; // letters that stay

  // What the forms of a word have in common. It need not be a word, and two words may share it: it finds pages, and
  // nobody sees it. The last vowel of a Korean stem goes, since it changes: 쏠리다, 쏠려요.
  function bare(asked) {
    const word = asked.replace(/^([a-z][\w.+-]*)[가-힣]+$/, "$1"); // loss가, of which loss is the word
    const korean = HANGUL.test(word);
    let letters = korean ? jamo(word) : word;
    const shorter = () => {
      if (!korean) return letters.replace(SUFFIX, "");
      for (let cut = Math.max(LEAST, letters.length - LONGEST); cut < letters.length; cut++) {
        if (ENDINGS.has(letters.slice(cut))) return letters.slice(0, cut);
      }
      return letters;
    };
    for (let next = shorter(); next !== letters && next.length >= LEAST; next = shorter()) letters = next;
    if (korean) return letters.length > LEAST ? letters.replace(/[ㅏ-ㅣ]$/, "") : letters;
    return letters.replace(/([^aeiou])\1$/, "$1").replace(/i$/, "");
  }

  // Forms of a word begin with one letter; what is alike, with those of its words. Thousands of stems would hold up the
  // first answer: a query's words need those of few letters.
  const initial = (word) => jamo(word[0])[0];

  // What is the same whichever way it is said: English or as it sounds or translated
  const ALIKE = new Map();
  const SAID = new Map(); // such words by their first's stem
  const INITIALS = new Map(); // the letters that such words begin with
  for (const alike of (
      "loss 로스 손실, epoch 에폭 에포크, train 학습 훈련 트레이닝 재학습 retrain, batch 배치, layer 층 레이어, transformer 트랜스포머 트랜스퍼머, bert 버트, gpt 지피티, gradient 그래디언트 그라디언트 기울기, output 출력 아웃풋, " +
      "input 입력 인풋, position 위치 포지션 포지셔널 positional, word 단어 낱말, sentence 문장, generate 생성 generation, image 이미지 사진 그림 picture photo, review 리뷰 후기 평 opinion, document 문서, memory 메모리, accuracy 정확도 성능, " +
      "translate 번역 번역기 translation translator, token 토큰, tokenizer 토크나이저, embedding 임베딩, head 헤드, mask 마스크 마스킹 masking, attention 어텐션, encoder 인코더, decoder 디코더, padding 패딩 pad 패드, prompt 프롬프트, parameter 파라미터 매개변수, " +
      "weight 가중치 웨이트, vector 벡터, softmax 소프트맥스, norm 정규화 normalization 노름, dropout 드롭아웃, label 라벨 레이블, sampling 샘플링, cache 캐시, fine-tuning 파인튜닝 미세조정 finetuning fine-tune finetune, pretraining 사전학습 프리트레이닝, " +
      "code 코드, copyright 저작권 license 라이선스 라이센스, solution 답안 해답 정답지 풀이, class 수업 강의 교재, phone 휴대폰 핸드폰 스마트폰, gpu 그래픽카드 지피유, notebook 노트북 주피터 jupyter, llama 라마 llama3 llama2, expert 전문가, slow 느림 느려 버벅, " +
      "fast 빠르게 빠름 빨라 speed 속도 가속 faster, rnn 순환 recurrent, cnn 합성곱 convolution, vocabulary 어휘 vocab, shape 모양 shapes, order 순서 차례, forget 까먹 잊 망각, repeat 반복 되풀이, explain 설명 explanation, sine sin 사인, cosine cos 코사인, reward 보상, " +
      "oom 오오엠, chatbot 챗봇, copy 복사, window 윈도우 창, beginner 입문 초보 초등학생 비전공자 eli5 newbie, compress 압축, detect 탐지, hallucination 환각, context 문맥 컨텍스트 맥락, length 길이, " +
      "judge 심판 평가자 채점, evaluate 평가 evaluation, benchmark 벤치마크, contamination 오염, preference 선호, optimizer 옵티마이저 최적화 optimiser, schedule 스케줄 스케줄러 scheduler, variance 분산, similarity 유사도 similar, " +
      "divide 나누 divided, concat concatenate 이어붙 이어붙이, reshape view 리쉐입, index 인덱스, initialise 초기화 초기값 initialization initialize, contradiction 모순, entailment 함의 수반, classify 분류 classification classifier 분류기, predict 예측 prediction, " +
      "freeze 동결 얼리 프리즈, quantise 양자화 quantization quantize quantized, distil 증류 distillation distill, router 라우터 라우팅 routing, gate 게이트 게이팅 gating, frequency 주파수 빈도, " +
      "rotate 회전 rotation rotary 로터리, extrapolate 외삽 extrapolation, extend 확장 늘리 늘이, patch 패치, pixel 화소 픽셀, caption 캡션 캡셔닝, contrastive 대조, neuron 뉴런, circuit 회로, steer 스티어링 steering, prune 가지치기 프루닝 pruning, remove 제거 삭제, " +
      "policy 정책, baseline 베이스라인, throughput 처리량, latency 지연 지연시간, speculative 추측 투기적 스페큘레이티브, draft 초안, accept 수락 acceptance, server 서버 서빙 serving serve, vram 브이램, bandwidth 대역폭, download 다운로드 내려받, install 설치, " +
      "offline 오프라인 비행기 기차 plane, cite 인용 citation, summarise 요약 summary summarization summarize, dialogue 대화 chat 채팅, instruction 지시 지시문 인스트럭션, adapter 어댑터, merge 병합 합치, dataset 데이터셋 말뭉치 코퍼스 corpus, " +
      "hyperparameter 하이퍼파라미터 초매개변수, seed 시드, overfitting 과적합 오버피팅 overfit, plot 그래프 그림그리, visualise 시각화 visualize visualization, heatmap 히트맵, cost 비용 복잡도 complexity"
    ).split(", ")) {
    const words = alike.split(" ");
    const first = bare(words[0]);
    for (const word of words) ALIKE.set(bare(word), first);
    SAID.set(first, words);
    INITIALS.set(first, new Set(words.map(initial)));
  }
  // Words that say little of what is asked
  const LIGHT = new Set(
    (
      "현상 법 때문에 때문 전에 후에 다음 다음에 거의 아니면 이해 이해가 부분 결과 결과가 나와요 나오는데 넣으면 넣는 넣기 하나만 둘 두 세 여러 같이 함께 많이 적게 매번 항상 계속 다시 각 각각 전체 처음부터 처음 마지막 나중 중에 안에 정도 " +
      "상태 문제 문제가 방식 종류 예시 예제 설명 이름 이상 이상하게 갑자기 점점 제대로 바로 따로 직접 만들기 만들려면 만드는 사용 사용법 하려면 원리 역할 중요 적당 값 개 번 도움 질문 공부 추천 아님 없이 보면 하던데 해도 나눠 들어가 생기 달라 바뀌 " +
      "first last final always never same different each every few several during before after without instead inside result results way thing meaning example purpose role simple simply exactly actually keep turn start end own out off up down if versus vs compare please help add put set let give take see look look try question problem error issue wrong"
    ).split(" ").map(bare),
  );

  // The other ways to say a word, if there are any
  const othersOf = (word) => SAID.get(ALIKE.get(bare(word))) ?? [];

  // Many pages are asked for with the same words
  const stems = new Map();
  function stem(word) {
    if (!stems.has(word)) {
      const own = bare(word);
      stems.set(word, ALIKE.get(own) ?? own);
    }
    return stems.get(word);
  }

  let text = ""; // of each page the phrases, between commas, in a line
  let starts = []; // where each phrase begins
  let pageOf = []; // of a phrase
  let begun = new Map(); // letter -> the words that begin so, each with the phrases that have it
  let lengths = []; // of each page: of how many words its phrases are, against the pages' mean
  let askedWith = new Map(); // stem -> the phrases that have it and their pages, of the stems that were sought
  let spelled = []; // of each page the phrases, with nothing between words but spaces
  let total = 0;

  function load(lines) {
    text = lines.join("\n").toLowerCase();
    spelled = text.split("\n").map(separate);
    [begun, askedWith, starts, pageOf, lengths] = [new Map(), new Map(), [0], [0], lines.map(() => 0)];
    let page = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text[i];
      if (character === "\n") page += 1;
      else if (character === "," || character === " ") lengths[page] += 1;
      if (character === "," || character === "\n") {
        starts.push(i + 1);
        pageOf.push(page);
      }
    }
    total = lengths.filter(Boolean).length;
    const mean = lengths.reduce((sum, length) => sum + length, 0) / total;
    lengths = lengths.map((length) => length / mean);
  }

  function phraseAt(position) {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  const wordsIn = (phrase) => text.slice(starts[phrase], (starts[phrase + 1] ?? text.length) - 1).split(" ").length;

  function wordsBegunWith(letter) {
    if (!begun.has(letter)) {
      const code = letter.charCodeAt(0).toString(16).padStart(4, "0");
      const first = /[ㄱ-ㅎ]/.test(letter) ? `${syllable(letter, "ㅏ")}-${syllable(letter, "ㅣ", "ㅎ")}` : `\\u${code}`;
      const words = new Map();
      for (const { 0: word, index } of text.matchAll(new RegExp(`(?<![^ ,\n])[${first}][^ ,\n]*`, "g"))) {
        if (!words.has(word)) words.set(word, []);
        words.get(word).push(phraseAt(index));
      }
      begun.set(letter, words);
    }
    return begun.get(letter);
  }

  function lookUp(word) {
    const sought = stem(word);
    if (!askedWith.has(sought)) {
      const phrases = new Set();
      for (const letter of INITIALS.get(sought) ?? initial(word)) {
        for (const [known, having] of wordsBegunWith(letter)) if (stem(known) === sought) having.forEach((phrase) => phrases.add(phrase));
      }
      const counts = new Map();
      for (const phrase of phrases) counts.set(pageOf[phrase], (counts.get(pageOf[phrase]) ?? 0) + 1);
      // said twice it is surer, and surer where little is said (BM25)
      const pages = new Map([...counts].map(([page, count]) => [page, (2 * count) / (count + 0.5 + 0.5 * lengths[page])]));
      askedWith.set(sought, { phrases, pages });
    }
    return askedWith.get(sought);
  }

  const knows = (word) => lookUp(word).pages.size > 0;

  // Written together: 안내려가요, 자동채점. Of the parts that are known, those that divide it most evenly
  function partsOf(word) {
    if (!HANGUL.test(word) || knows(word)) return [word];
    if (/^[안못]../.test(word) && knows(word.slice(1))) return [word.slice(1)];
    for (let cut = Math.ceil(word.length / 2), step = 0; cut >= 2 && cut < word.length - 1; step += 1, cut += step % 2 ? -step : step) {
      const parts = [word.slice(0, cut), word.slice(cut)];
      if (parts.every(knows)) return parts;
    }
    return [word];
  }

  // Of the words that are known, their pages, and how rare they are
  function hear(words) {
    const heard = new Map(words.flatMap((word) => partsOf(word).filter(knows).map((part) => [stem(part), { word, part }])));
    return [...heard.values()].map(({ word, part }) => {
      const { phrases, pages } = lookUp(part);
      return { word, phrases, pages, weight: Math.log((total + 1) / pages.size) * (LIGHT.has(stem(part)) ? 0.35 : /^[\d.]+$/.test(part) ? 0.5 : 1) };
    });
  }

  // The pages, with what their phrase tells that has most of the words: the rarer among all phrases, and the shorter it
  // is, the more
  function together(words) {
    const sums = new Map();
    for (const { phrases } of new Set(words.flatMap(partsOf).filter(knows).map(lookUp))) {
      const rare = Math.log(1 + starts.length / phrases.size);
      for (const phrase of phrases) sums.set(phrase, (sums.get(phrase) ?? 0) + rare);
    }
    const best = new Map();
    for (const [phrase, sum] of sums) {
      const told = sum / Math.sqrt(1 + wordsIn(phrase) / 20);
      best.set(pageOf[phrase], Math.max(told, best.get(pageOf[phrase]) ?? 0));
    }
    return best;
  }

  // ---- Letters: what two spellings or forms of a word have in common that no list of endings knows

  const LIKE = 1.2; // how soon a piece that is said again tells no more
  const separate = (asked) => ` ${asked.replace(/(?<=[a-z])(?=[가-힣])|[^0-9a-z_가-힣]+/g, " ").trim()} `;

  // Two syllables of a word, or four letters with its beginning and end
  function piecesOf(query) {
    const pieces = new Set();
    for (const [word] of separate(query.toLowerCase()).matchAll(/[^ ]+/g)) {
      const [whole, size] = HANGUL.test(word) && word.length > 1 ? [word, 2] : [` ${word} `, 4];
      for (let i = 0; i === 0 || i + size <= whole.length; i++) pieces.add(whole.slice(i, i + size));
    }
    return pieces;
  }

  function countOf(piece, line) {
    let count = 0;
    for (let i = line.indexOf(piece); i >= 0; i = line.indexOf(piece, i + 1)) count += 1;
    return count;
  }

  // How alike each page's phrases are to the query, piece by piece (BM25)
  function alike(query) {
    const likeness = spelled.map(() => 0);
    for (const piece of piecesOf(query)) {
      const counts = spelled.map((line) => countOf(piece, line));
      const having = counts.filter(Boolean).length;
      const rare = Math.log(1 + (total - having + 0.5) / (having + 0.5));
      counts.forEach((count, page) => {
        if (count) likeness[page] += (rare * count * (LIKE + 1)) / (count + LIKE * (0.8 + 0.2 * lengths[page]));
      });
    }
    return likeness;
  }

  return { load, othersOf, hear, knows, together, alike };
})();
