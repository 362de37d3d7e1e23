/** The parts of the program that the gate judges, each with the share that has to be noticed. */

export interface Area {
  readonly name: string;
  readonly files: RegExp;
  readonly aim: number;
}

export const AREAS: readonly Area[] = [
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

/** The first whose pattern fits; undefined for files that the gate does not judge. */
export function areaOf(file: string): Area | undefined {
  return AREAS.find(({ files }) => files.test(file));
}
