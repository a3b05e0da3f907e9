/* What the search lists first: answers before lists and figures of speed. */
var Scorer = {
  score: ([page, title, anchor, description, score]) => {
    if (/^(howto|tutorials)\//.test(page)) return score + 6;
    if (/^(benchmarks|changes|accuracy|drop_in|bibliography|teaching)$/.test(page)) return score - 6;
    return /^reference\/|^gallery\//.test(page) ? score : score + 3;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
