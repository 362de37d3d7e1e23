/** The error when a recomputation of the affiliate programme differs. */

/** Engine and reference disagree, or the engine breaks a promise; `finder` names the check. */
export class Discrepancy extends Error {
  override readonly name = "Discrepancy";
  readonly finder: string;

  constructor(finder: string, message: string) {
    super(`${finder}: ${message}`);
    this.finder = finder;
  }
}
