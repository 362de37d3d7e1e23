/**
 * The changes of contract wallets. Each row has the balance after it, so a user's rows in an asset
 * form a chain. Moving margin to or from a position does not change the wallet: its income is 0.
 */
import type { EventOf } from "../protocol/index.ts";
import type { IncomeType, Row } from "../store/index.ts";
import type { ContractRole } from "./contract-rows.ts";
import type { Instruments } from "./instruments.ts";

/** A row that has no number and no time yet. */
export type IncomeRow = Omit<Row<"contract_income">, "income_id" | "time_ms">;

/** The facts of a row. */
interface Change {
  readonly uid: number;
  readonly asset: string;
  /** "" when it belongs to no symbol. */
  readonly symbol: string;
  readonly incomeType: IncomeType;
  readonly incomeMinor: bigint;
  readonly balanceMinor: bigint;
  readonly fillFeeMinor?: bigint;
}

function incomeRow(instruments: Instruments, change: Change): IncomeRow {
  const { uid, asset, symbol, incomeType } = change;
  const isTransfer = incomeType === "transfer_in" || incomeType === "transfer_out";
  return {
    uid,
    asset,
    symbol: symbol === "" ? null : symbol,
    income_type: incomeType,
    income: instruments.amountText(asset, change.incomeMinor),
    balance: instruments.amountText(asset, change.balanceMinor),
    fill_fee: instruments.amountText(asset, change.fillFeeMinor ?? 0n),
    transfer_reason: isTransfer ? "USER_TRANSFER" : "UNKNOWN_TRANSFER_REASON",
  };
}

export function fillIncome(
  event: EventOf<"contract-trade">,
  role: ContractRole,
  instruments: Instruments,
): IncomeRow {
  const { uid, positionSide, isClosing, feeMinor, realizedPnlMinor, walletMinor } = event[role];
  const side = positionSide === "LONG" ? "long" : "short";
  return incomeRow(instruments, {
    uid,
    asset: event.asset,
    symbol: event.symbol,
    incomeType: `position_${isClosing ? "close" : "open"}_${side}`,
    incomeMinor: realizedPnlMinor - feeMinor,
    balanceMinor: walletMinor,
    fillFeeMinor: feeMinor,
  });
}

/** Null for a movement that does not change the contract wallet. */
export function fundsIncome(
  event: EventOf<"funds-moved">,
  instruments: Instruments,
): IncomeRow | null {
  const isIncoming = event.to === "contract";
  if (!isIncoming && event.from !== "contract") return null;
  const isOutside = event.from === null || event.to === null;
  const incoming = isOutside ? "deposit" : "transfer_in";
  const outgoing = isOutside ? "withdraw" : "transfer_out";
  return incomeRow(instruments, {
    uid: event.uid,
    asset: event.asset,
    symbol: "",
    incomeType: isIncoming ? incoming : outgoing,
    incomeMinor: isIncoming ? event.amountMinor : -event.amountMinor,
    balanceMinor: event.contractEquityMinor,
  });
}

export function fundingIncome(
  event: EventOf<"funding-moved">,
  instruments: Instruments,
): IncomeRow {
  return incomeRow(instruments, {
    uid: event.uid,
    asset: event.asset,
    symbol: event.symbol,
    incomeType: "position_funding",
    incomeMinor: event.deltaMinor,
    balanceMinor: event.walletMinor,
  });
}

export function marginIncome(
  event: EventOf<"position-margin-moved">,
  instruments: Instruments,
): IncomeRow {
  return incomeRow(instruments, {
    uid: event.uid,
    asset: event.asset,
    symbol: event.symbol,
    incomeType: event.deltaMinor > 0n ? "margin_move_in" : "margin_move_out",
    incomeMinor: 0n,
    balanceMinor: event.walletMinor,
  });
}

/** A liquidation began or, when it had no fee, ended. */
export function liquidationStepIncome(
  event: EventOf<"liquidation-started" | "liquidation-finished">,
  instruments: Instruments,
): IncomeRow {
  return incomeRow(instruments, {
    uid: event.uid,
    asset: event.asset,
    symbol: event.symbol,
    incomeType: event.type === "liquidation-started" ? "start_liquidate" : "finish_liquidate",
    incomeMinor: 0n,
    balanceMinor: event.walletMinor,
  });
}

/** What the insurance fund paid and received for a fill, each unless it is 0. */
export function liquidationIncome(
  event: EventOf<"liquidation-settled">,
  instruments: Instruments,
): IncomeRow[] {
  const { uid, asset, symbol, insurancePaidMinor, liquidationFeeMinor } = event;
  const rows: IncomeRow[] = [];
  if (insurancePaidMinor > 0n) {
    const incomeType = "order_fix_margin_amount";
    const balanceMinor = event.walletAfterFixMinor;
    const fix = { uid, asset, symbol, incomeType, incomeMinor: insurancePaidMinor, balanceMinor };
    rows.push(incomeRow(instruments, fix as Change));
  }
  if (liquidationFeeMinor > 0n) {
    const incomeType = "finish_liquidate";
    const balanceMinor = event.walletMinor;
    const fee = { uid, asset, symbol, incomeType, incomeMinor: -liquidationFeeMinor, balanceMinor };
    rows.push(incomeRow(instruments, fee as Change));
  }
  return rows;
}
