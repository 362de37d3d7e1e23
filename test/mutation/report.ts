/** What a gate says: each area with its aim, and the mutants that nobody noticed. */
import type { Verdict } from "./mutant-run.ts";
import type { Mutant } from "./mutant-text.ts";

interface Area {
  readonly name: string;
  readonly files: RegExp;
  /** The share of mutants that has to be noticed. */
  readonly aim: number;
}

const AREAS: readonly Area[] = [
  { name: "engine", files: /^src\/engine\//, aim: 0.97 },
  { name: "journal", files: /^src\/journal\//, aim: 0.95 },
  { name: "sequencer", files: /^src\/app\/(sequencer|replay)\.ts$/, aim: 0.95 },
  { name: "app", files: /^src\/app\//, aim: 0.9 },
  { name: "gateway", files: /^src\/gateway\//, aim: 0.9 },
  { name: "projections", files: /^src\/projections\//, aim: 0.9 },
  { name: "queries", files: /^src\/queries\//, aim: 0.9 },
  { name: "streams", files: /^src\/streams\//, aim: 0.9 },
  { name: "client", files: /^src\/client\//, aim: 0.9 },
  { name: "keys", files: /^src\/keys\//, aim: 0.9 },
  { name: "affiliate-statement", files: /^src\/affiliate-statement\//, aim: 0.9 },
];
/** Fewer say too little of an area to fail it. */
const JUDGED_MIN = 30;

export function isGated(file: string): boolean {
  return AREAS.some(({ files }) => files.test(file));
}

export interface AreaResult {
  readonly name: string;
  readonly aim: number;
  readonly killed: number;
  readonly mutants: number;
  readonly missed: boolean;
}

export function resultsOf(verdicts: readonly Verdict[]): AreaResult[] {
  const byArea = Map.groupBy(verdicts, ({ mutant }) => areaOf(mutant));
  return AREAS.flatMap((area) => {
    const ofArea = byArea.get(area) ?? [];
    const mutants = ofArea.length;
    if (mutants === 0) return [];
    const killed = ofArea.filter(({ kind }) => kind === "killed").length;
    const missed = mutants >= JUDGED_MIN && killed / mutants < area.aim;
    return [{ name: area.name, aim: area.aim, killed, mutants, missed }];
  });
}

function areaOf({ file }: Mutant): Area | undefined {
  return AREAS.find(({ files }) => files.test(file));
}

function mutantText({ file, line, original, replacement }: Mutant): string {
  const short = (text: string): string => text.replace(/\s+/g, " ").slice(0, 60);
  return `${file}:${line}  ${short(original)} → ${short(replacement)}`;
}

export function verdictText({ mutant, kind, by, tests, seconds }: Verdict): string {
  const how = by === null ? `${tests} tests` : by;
  return `${kind.padEnd(8)}  ${mutantText(mutant)}  (${how}, ${seconds.toFixed(1)} s)`;
}

export function reportText(verdicts: readonly Verdict[]): string {
  const rows = resultsOf(verdicts).map(({ name, aim, killed, mutants, missed }) => {
    const share = ((100 * killed) / mutants).toFixed(1);
    const verdict = mutants < JUDGED_MIN ? "too few to judge" : missed ? "missed" : "met";
    const counts = `${killed} of ${mutants}`.padStart(12);
    return `${name.padEnd(20)} ${counts}  ${share.padStart(5)} %  aim ${100 * aim} %  ${verdict}`;
  });
  const survived = verdicts.filter(({ kind }) => kind === "survived");
  return [
    "",
    ...rows,
    "",
    survived.length === 0 ? "nothing survived" : `${survived.length} survived:`,
    ...survived.map(({ mutant }) => `  ${mutantText(mutant)}`),
  ].join("\n");
}
