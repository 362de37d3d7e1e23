/** The error when the engine differs from a reference exchange. */

/** Engine and reference disagree, or the engine breaks a promise; `finder` names the check. */
export class Divergence extends Error {
  override readonly name = "Divergence";
  readonly finder: string;

  constructor(finder: string, message: string) {
    super(`${finder}: ${message}`);
    this.finder = finder;
  }
}
