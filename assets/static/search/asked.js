// The words in which readers ask for a page who know none of its own yet (chapters/asked), found by their stems.
"use strict";

courseSearch.asked = (() => {
  const { HANGUL, endings } = courseSearch.text;
  const { jamo } = courseSearch.hangul;

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
  const INITIALS = new Map(); // the letters that such words begin with
  for (const alike of (
      "loss 로스 손실, epoch 에폭 에포크, train 학습 훈련 트레이닝 재학습 retrain, batch 배치, layer 층 레이어, transformer 트랜스포머 트랜스퍼머, bert 버트, gpt 지피티, gradient 그래디언트 그라디언트 기울기, output 출력 아웃풋, " +
      "input 입력 인풋, position 위치 포지션 포지셔널 positional, word 단어 낱말, sentence 문장, generate 생성 generation, image 이미지 사진 그림 picture photo, review 리뷰 후기 평 opinion, document 문서, memory 메모리, accuracy 정확도 성능, " +
      "translate 번역 번역기 translation translator, token 토큰, tokenizer 토크나이저, embedding 임베딩, head 헤드, mask 마스크 마스킹 masking, attention 어텐션, encoder 인코더, decoder 디코더, padding 패딩 pad 패드, prompt 프롬프트, parameter 파라미터 매개변수, " +
      "weight 가중치 웨이트, vector 벡터, softmax 소프트맥스, norm 정규화 normalization 노름, dropout 드롭아웃, label 라벨 레이블, sampling 샘플링, cache 캐시, fine-tuning 파인튜닝 미세조정 finetuning fine-tune finetune, pretraining 사전학습 프리트레이닝, " +
      "code 코드, copyright 저작권 license 라이선스 라이센스, solution 답안 해답 정답지 풀이, class 수업 강의 교재, phone 휴대폰 핸드폰 스마트폰, gpu 그래픽카드 지피유, notebook 노트북 주피터 jupyter, llama 라마 llama3 llama2, expert 전문가, slow 느림 느려 버벅, " +
      "fast 빠르게 빠름 speed 속도, rnn 순환 recurrent, cnn 합성곱 convolution, vocabulary 어휘 vocab, shape 모양 shapes, order 순서 차례, forget 까먹 잊 망각, repeat 반복 되풀이, explain 설명 explanation, sine sin 사인, cosine cos 코사인, reward 보상"
    ).split(", ")) {
    const words = alike.split(" ");
    const first = bare(words[0]);
    for (const word of words) ALIKE.set(bare(word), first);
    INITIALS.set(first, new Set(words.map(initial)));
  }
  // Many pages are asked for with the same words
  const stems = new Map();
  function stem(word) {
    if (!stems.has(word)) {
      const own = bare(word);
      stems.set(word, ALIKE.get(own) ?? own);
    }
    return stems.get(word);
  }

  let spoken = new Map(); // letter -> the words that begin so, each with the page that is asked for with it
  let pagesOf = new Map(); // stem -> the pages that are asked for with it, of the stems that were sought
  let total = 0;

  // Of each page the words, in a line
  function load(lines) {
    [spoken, pagesOf] = [new Map(), new Map()];
    lines.forEach((line, page) => {
      for (const word of line ? line.split(" ") : []) {
        const first = initial(word);
        if (!spoken.has(first)) spoken.set(first, []);
        spoken.get(first).push([word, page]);
      }
    });
    total = lines.filter(Boolean).length;
  }

  function pagesAskedWith(word) {
    const sought = stem(word);
    if (!pagesOf.has(sought)) {
      const begun = [...(INITIALS.get(sought) ?? initial(word))].flatMap((letter) => spoken.get(letter) ?? []);
      pagesOf.set(sought, new Set(begun.filter(([known]) => stem(known) === sought).map(([, page]) => page)));
    }
    return pagesOf.get(sought);
  }

  const knows = (word) => pagesAskedWith(word).size > 0;

  // Of the words that are known, their pages, and how rare they are
  const hear = (words) =>
    words.filter(knows).map((word) => {
      const pages = pagesAskedWith(word);
      return { word, pages, weight: Math.log((total + 1) / pages.size) };
    });

  return { load, hear, knows };
})();
