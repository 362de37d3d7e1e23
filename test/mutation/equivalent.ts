/** Mutants that change nothing that anybody can see, each with its reason. */

interface Equivalent {
  readonly file: string;
  /** The text of the line, without the space around it. */
  readonly line: string;
  /** What is changed in it, and into what. */
  readonly change: string;
  readonly reason: string;
}

export const EQUIVALENT: readonly Equivalent[] = [
  {
    file: "src/engine/matching/growing-rows.ts",
    line: "else if (this.#used > this.#capacity * GROWTH_BEGINS_AT) this.#beginGrowth();",
    change: "> → >=",
    reason: "growth begins one row earlier; every row says the same before, during and after it",
  },
  {
    file: "src/engine/spot/match-plan.ts",
    line: "if (affordable < BigInt(lotsWanted)) lotsWanted = Number(affordable);",
    change: "< → <=",
    reason: "at the same number both sides are the lots that are wanted",
  },
  {
    file: "src/engine/matching/price-levels.ts",
    line: "#used = 0;",
    change: "0 → 1",
    reason: "the first level stays unused: a place more, and the numbers of levels say nothing",
  },
  {
    file: "src/engine/contract/risk/risk-loop.ts",
    line: "if (contract.unfinishedRisk) return false;",
    change: "contract.unfinishedRisk → !(contract.unfinishedRisk)",
    reason: "a cascade that was cut has left something, and without one the loop finds nothing",
  },
  {
    file: "src/engine/ledger/ledger.ts",
    line: "if (asset !== this.#assetOf[to] || asset < 0 || amountMinor > CELL_MAX) {",
    change: "> → >=",
    reason: "the way for large amounts moves what fits a cell as well, only slower",
  },
  {
    file: "src/engine/ledger/ledger.ts",
    line: "if (asset !== this.#assetOf[to] || asset < 0 || amountMinor > CELL_MAX) {",
    change: "0 → 1",
    reason: "the first asset goes the way for large amounts as well, only slower",
  },
  {
    file: "src/engine/contract/conditional/conditional-orders.ts",
    line: "command.closePosition ? 1 : 0,",
    change: "1 → 2",
    reason: "of a fingerprint only that it differs from the other one's",
  },
  {
    file: "src/engine/affiliate/balances.ts",
    line: "return one < other ? one : other;",
    change: "< → <=",
    reason: "of two that are equal either is the lesser one",
  },
  {
    file: "src/engine/contract/prices/funding.ts",
    line: "if (roundingMinor > 0n) settlement.keep(roundingMinor);",
    change: "> → >=",
    reason: "a move of nothing leaves both accounts as they are",
  },
  {
    file: "src/engine/contract/formulas/valuation.ts",
    line: "if (partLots === sizeLots || amountMinor === 0n) return amountMinor;",
    change: "|| → &&",
    reason: "a shortcut: the division comes to the same",
  },
  {
    file: "src/client/retries.ts",
    line: 'signal.addEventListener("abort", onAbort, { once: true });',
    change: "true → false",
    reason: "a signal is aborted once, and the listener goes with the end of the work",
  },
];
