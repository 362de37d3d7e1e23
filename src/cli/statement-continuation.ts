/** Whether one statement continues exactly where another ended. */
import type { Statement } from "../affiliate-statement/index.ts";

/** A statement without its entries, which may be very many. */
export type StatementFrame = Omit<Statement, "entries">;

/** Null when `next` follows `before` without a gap, otherwise what does not match. */
export function continuationProblem(before: StatementFrame, next: StatementFrame): string | null {
  if (next.affiliateUid !== before.affiliateUid) {
    return `affiliateUid: the previous file belongs to another affiliate (${before.affiliateUid})`;
  }
  if (!followsInTime(before, next)) {
    return `from: neither the next part of the previous file nor days after ${before.to}`;
  }
  if (next.openingOrdinal !== before.closingOrdinal) {
    const missing = `entries ${before.closingOrdinal + 1} to ${next.openingOrdinal} are missing`;
    const isGap = next.openingOrdinal > before.closingOrdinal;
    return `openingOrdinal: ${isGap ? missing : "begins before the previous file ends"}`;
  }
  if (next.openingHash !== before.closingHash) {
    return "openingHash: not the closing hash of the previous file";
  }
  return balanceProblem(before, next);
}

function followsInTime(before: StatementFrame, next: StatementFrame): boolean {
  const isSame = next.from === before.from && next.to === before.to;
  if (isSame) return next.parts === before.parts && next.part === before.part + 1;
  const isFirst = next.part === 1 && before.part === Math.max(1, before.parts);
  return isFirst && next.from > before.to;
}

/** An asset missing from one of the two has a zero balance there. */
function balanceProblem(before: StatementFrame, next: StatementFrame): string | null {
  const none = { payable: "0", held: "0", owed: "0" };
  const assets = new Set([...before.totals, ...next.opening].map(({ asset }) => asset));
  for (const asset of assets) {
    const closing = before.totals.find((total) => total.asset === asset) ?? none;
    const opening = next.opening.find((balance) => balance.asset === asset) ?? none;
    for (const name of ["payable", "held", "owed"] as const) {
      const [found, expected] = [opening[name], closing[name]];
      if (found === expected) continue;
      return `opening of ${asset}: ${name} is ${found}, the previous file ended with ${expected}`;
    }
  }
  return null;
}
