/** What a simulation may end with: a check that failed, or a machine that is off. */

/** The exchange did what it must never do. */
export class Breach extends Error {
  override readonly name = "Breach";
  /** Which check failed: a shrunk schedule must fail the same one. */
  readonly check: string;

  constructor(check: string, detail: string) {
    super(`${check}: ${detail}`);
    this.check = check;
  }
}

/** The machine stopped while something was under way; nobody knows what became of it. */
export class MachineEnded extends Error {
  override readonly name = "MachineEnded";
}

/** Nothing can be said any more: the disk had lied, and what it lost is gone. */
export class StoryEnded extends Error {
  override readonly name = "StoryEnded";
}

export function hold(condition: boolean, check: string, detail: () => string): asserts condition {
  if (!condition) throw new Breach(check, detail());
}
