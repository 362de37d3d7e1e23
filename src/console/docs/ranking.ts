/** Which entries a search finds, best first. */

export interface SearchEntry {
  readonly title: string;
  readonly place: string;
  readonly url: string;
  readonly words: string;
}

const SHOWN = 12;
const IN_TITLE = 8;
const BEGINS_WORD = 4;
const IN_PLACE = 4;

/** Every word must be found somewhere; in a title it counts most. */
export function rank(entries: readonly SearchEntry[], text: string): readonly SearchEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored: { readonly entry: SearchEntry; readonly score: number }[] = [];
  for (const entry of entries) {
    const score = scoreOf(entry, words);
    if (score > 0) scored.push({ entry, score });
  }
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, SHOWN)
    .map(({ entry }) => entry);
}

/** 0 when a word is missing. */
function scoreOf(entry: SearchEntry, words: readonly string[]): number {
  const title = entry.title.toLowerCase();
  const place = entry.place.toLowerCase();
  const more = entry.words.toLowerCase();
  let score = 0;
  for (const word of words) {
    const inTitle = title.indexOf(word);
    let found = 0;
    if (inTitle >= 0) found += IN_TITLE;
    if (inTitle === 0 || title[inTitle - 1] === " ") found += BEGINS_WORD;
    if (place.includes(word)) found += IN_PLACE;
    if (more.includes(word)) found += 1;
    if (found === 0) return 0;
    score += found;
  }
  return score + 1 / (1 + title.length);
}
