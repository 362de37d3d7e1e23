/** Rows of funds that moved: bills of the spot wallet, transfers, deposits and withdrawals. */
import { invariant } from "../domain/index.ts";
import type { EventOf } from "../protocol/index.ts";
import type { Row } from "../store/index.ts";
import type { Instruments } from "./instruments.ts";

type FundsMoved = EventOf<"funds-moved">;

/** Null for a movement that does not change the spot wallet. */
export function fundsBillRow(
  event: FundsMoved,
  instruments: Instruments,
  timestampMs: number,
  billId: number,
): Row<"funds_bills"> | null {
  const incoming = event.to === "spot";
  if (!incoming && event.from !== "spot") return null;
  const outside = event.from === null || event.to === null;
  const billType = incoming
    ? outside
      ? "deposit"
      : "transfer_in"
    : outside
      ? "withdraw"
      : "transfer_out";
  return {
    bill_id: billId,
    uid: event.uid,
    asset: event.asset,
    bill_type: billType,
    delta: instruments.amountText(event.asset, incoming ? event.amountMinor : -event.amountMinor),
    after: instruments.amountText(event.asset, event.spotEquityMinor),
    time_ms: timestampMs,
  };
}

/** Null for a deposit or withdrawal. */
export function transferRow(
  event: FundsMoved,
  instruments: Instruments,
  timestampMs: number,
  movementId: number,
): Row<"transfers"> | null {
  if (event.from === null || event.to === null) return null;
  return {
    movement_id: movementId,
    uid: event.uid,
    request_id: event.requestId,
    asset: event.asset,
    amount: instruments.amountText(event.asset, event.amountMinor),
    from_wallet: event.from,
    to_wallet: event.to,
    time_ms: timestampMs,
  };
}

/** Without its ordinals; null for a transfer. */
export function fundingMovementRow(
  event: FundsMoved,
  instruments: Instruments,
  timestampMs: number,
  movementId: number,
): Omit<Row<"funding_movements">, "uid_ordinal" | "asset_ordinal"> | null {
  const wallet = event.from ?? event.to;
  invariant(wallet !== null, "moved funds have a wallet on one side at least");
  if (event.from !== null && event.to !== null) return null;
  const afterMinor = wallet === "spot" ? event.spotEquityMinor : event.contractEquityMinor;
  return {
    movement_id: movementId,
    uid: event.uid,
    request_id: event.requestId,
    kind: event.from === null ? "deposit" : "withdrawal",
    wallet,
    asset: event.asset,
    amount: instruments.amountText(event.asset, event.amountMinor),
    after: instruments.amountText(event.asset, afterMinor),
    time_ms: timestampMs,
  };
}

export function operatorMovementRow(
  event: FundsMoved,
  instruments: Instruments,
  timestampMs: number,
  movementId: number,
): Row<"operator_movements"> {
  return {
    movement_id: movementId,
    command:
      event.from === null
        ? "deposit-funds"
        : event.to === null
          ? "withdraw-funds"
          : "transfer-funds",
    uid: event.uid,
    request_id: event.requestId,
    asset: event.asset,
    amount: instruments.amountText(event.asset, event.amountMinor),
    from_wallet: event.from,
    to_wallet: event.to,
    time_ms: timestampMs,
  };
}

/** Movements of the insurance fund have uid 0. */
export function insuranceMovementRow(
  event: EventOf<"insurance-moved">,
  instruments: Instruments,
  timestampMs: number,
  movementId: number,
): Row<"operator_movements"> {
  const isDeposit = event.deltaMinor >= 0n;
  const amountMinor = isDeposit ? event.deltaMinor : -event.deltaMinor;
  return {
    movement_id: movementId,
    command: isDeposit ? "deposit-insurance" : "withdraw-insurance",
    uid: 0,
    request_id: event.requestId,
    asset: event.asset,
    amount: instruments.amountText(event.asset, amountMinor),
    from_wallet: null,
    to_wallet: null,
    time_ms: timestampMs,
  };
}
