/** What a run of the engine against a reference exchange fails with. */

/** Engine and reference disagree, or the engine breaks a promise; `finder` names the check. */
export class Divergence extends Error {
  override readonly name = "Divergence";
  readonly finder: string;

  constructor(finder: string, message: string) {
    super(`${finder}: ${message}`);
    this.finder = finder;
  }
}
