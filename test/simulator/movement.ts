/** Money that the operator moves, or its owner; repeated under its id until it is answered. */
import { exact } from "../support/exact.ts";

export interface Movement {
  readonly kind: "deposits" | "withdrawals" | "transfers" | "own-transfer";
  readonly body: Readonly<Record<string, string>>;
}

/** What it adds to the spot account. */
export function spotChangeOf({ kind, body }: Movement): { asset: string; amount: bigint } {
  const asset = String(body.asset ?? body.coinName);
  const isTransfer = kind === "transfers" || kind === "own-transfer";
  const to = isTransfer ? (body.to ?? body.toType?.toLowerCase()) : body.account;
  const toSpot = to === "spot";
  if (!isTransfer && !toSpot) return { asset, amount: 0n };
  const amount = exact(String(body.amount));
  const adds = kind === "deposits" || (isTransfer && toSpot);
  return { asset, amount: adds ? amount : -amount };
}
