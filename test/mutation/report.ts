/** What a gate says: each area with its aim, and the mutants that nobody noticed. */
import { AREAS, areaOf } from "./areas.ts";
import type { Verdict } from "./mutant-run.ts";
import type { Mutant } from "./mutant-text.ts";

/** A sample that an area at its aim gives more seldom than this says that the area is below. */
const CHANCE_MIN = 0.01;

export interface AreaResult {
  readonly name: string;
  readonly aim: number;
  readonly killed: number;
  readonly mutants: number;
  /**
   * `below` is less than the aim, but not more than chance makes of a sample of this size;
   * `missed` is what chance does not explain, or all of the area's mutants.
   */
  readonly outcome: "met" | "below" | "missed";
}

/** The areas that have verdicts; `sizes` has how many mutants each has in all. */
export function resultsOf(
  verdicts: readonly Verdict[],
  sizes: ReadonlyMap<string, number>,
): AreaResult[] {
  const byArea = Map.groupBy(verdicts, ({ mutant }) => areaOf(mutant.file)?.name);
  return AREAS.flatMap(({ name, aim }) => {
    const ofArea = byArea.get(name) ?? [];
    const mutants = ofArea.length;
    if (mutants === 0) return [];
    const killed = ofArea.filter(({ kind }) => kind === "killed").length;
    const isAll = mutants >= (sizes.get(name) ?? 0);
    const isMissed = isAll || chanceOfAtMost(killed, mutants, aim) < CHANCE_MIN;
    const outcome = killed >= aim * mutants ? "met" : isMissed ? "missed" : "below";
    return [{ name, aim, killed, mutants, outcome }];
  });
}

/** How likely at most `hits` of `draws` are hits when each is one with this probability. */
export function chanceOfAtMost(hits: number, draws: number, probability: number): number {
  let term = (1 - probability) ** draws;
  let sum = term;
  for (let count = 1; count <= hits; count++) {
    term *= ((draws - count + 1) / count) * (probability / (1 - probability));
    sum += term;
  }
  return sum;
}

function mutantText({ file, line, operator, original, replacement }: Mutant): string {
  const short = (text: string): string => text.replace(/\s+/g, " ").slice(0, 60);
  return `${file}:${line}  ${operator}: ${short(original)} → ${short(replacement)}`;
}

export function verdictText({ mutant, kind, by, tests, seconds }: Verdict): string {
  const shown = tests === 0 ? "no test comes to it" : `${tests} tests`;
  return `${kind.padEnd(8)}  ${mutantText(mutant)}  (${by ?? shown}, ${seconds.toFixed(1)} s)`;
}

export function reportText(
  verdicts: readonly Verdict[],
  sizes: ReadonlyMap<string, number>,
): string {
  const rows = resultsOf(verdicts, sizes).map(({ name, aim, killed, mutants, outcome }) => {
    const share = ((100 * killed) / mutants).toFixed(1);
    const counts = `${killed} of ${mutants}`.padStart(14);
    const size = `(of ${sizes.get(name) ?? 0})`.padEnd(11);
    const result = `${share.padStart(5)} %  aim ${100 * aim} %  ${outcome}`;
    return `${name.padEnd(20)} ${counts} ${size} ${result}`;
  });
  const survived = verdicts.filter(({ kind }) => kind === "survived").sort(byPlace);
  return [
    ...rows,
    survived.length === 0 ? "nothing survived" : `${survived.length} survived:`,
    ...survived.map((verdict) => {
      const { mutant, tests } = verdict;
      return `  ${mutantText(mutant)}${tests === 0 ? "  (no test comes to it)" : ""}`;
    }),
  ].join("\n");
}

function byPlace({ mutant: one }: Verdict, { mutant: other }: Verdict): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.start - other.start;
}
