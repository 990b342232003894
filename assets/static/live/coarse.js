// Words that the models have read in people's reviews and that no page says: swearing, and names for groups of people.
"use strict";

window.coarse = (() => {
  const WORDS =
    "[씨시쓰][발벌바빨]|씹|[ㅅㅆ]ㅂ|ㅂㅅ|ㅄ|ㅈㄹ|[병븅빙등]신|새[끼퀴]|색[히끼]|좆|[존졸]나|졸라|조낸|지랄|썅|[쌍개미친][놈년]|^[놈년]|" +
    "섹스|강간|창녀|걸레|자살|뒤[져질진]|뒈[져질진]|닥쳐|꺼져|쪽[발바]리|짱[깨개]|깜둥이|김치녀|된장녀|한남충|맘충|일베|홍어|좌빨|빨갱이|전라디언";
  const pattern = new RegExp(WORDS, "u");
  return (word) => pattern.test(word);
})();
