/** Time until the next funding, by exchange time. */

export interface FundingAnswer {
  readonly nextFundingTime: number;
  /** Exchange time of the response. */
  readonly time: number;
}

/** Milliseconds left, `sinceMs` after the response; never below 0. */
export function untilFunding({ nextFundingTime, time }: FundingAnswer, sinceMs: number): number {
  return Math.max(0, nextFundingTime - time - sinceMs);
}

/** "07:59:59". */
export function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}
