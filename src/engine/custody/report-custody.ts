/**
 * What custody says that it holds, against what the ledger owes at the moment of the command. All
 * that came in and did not leave is owed to somebody, so the liability is minus `external`.
 */
import { accept, formatDecimal, parseDecimal, type Result, reject } from "../../domain/index.ts";
import type { CommandOf, CustodyReport, CustodyRow } from "../../protocol/index.ts";
import { NONE } from "../matching/slot.ts";
import type { Asset, Context, State } from "../state.ts";
import { stateOf } from "../withdrawals/withdrawal-state.ts";

type ReportCustody = CommandOf<"report-custody">;

export function reportCustody(context: Context, command: ReportCustody): Result<null> {
  const { state, nowMs } = context;
  const { actor, balances } = command;
  const asOfMs = command.asOfMs ?? nowMs;
  if (asOfMs > nowMs) return reject("out-of-range", "asOf", `at most ${nowMs}, now`);
  const reported = new Map<string, bigint>();
  for (const { asset: name, amount } of balances) {
    const asset = state.assetsByName.get(name);
    if (asset === undefined) return reject("unknown-asset", "balances", name);
    if (reported.has(name)) return reject("malformed", "balances", "each asset once");
    const minor = parseDecimal(amount, asset.scale);
    if (typeof minor === "string") return reject(minor, "balances", name);
    reported.set(name, minor);
  }
  const rows = state.assets.flatMap((asset) => {
    const row = compare(state, asset, reported.get(asset.asset) ?? null);
    return row.reported === null && row.liability === "0" ? [] : [row];
  });
  const report: CustodyReport = { actor, asOfMs, reportedMs: nowMs, rows };
  state.custodyReport = report;
  context.emit({ type: "custody-reported", ...report, rows });
  return accept(null);
}

function compare(state: State, asset: Asset, reportedMinor: bigint | null): CustodyRow {
  const bases = [...state.users.values()]
    .map((user) => user.accountBases[asset.index] ?? NONE)
    .filter((base) => base !== NONE);
  const totals = state.ledger.totals(asset.index, bases);
  const liabilityMinor = -totals.external;
  const inFlightMinor = inFlight(state, asset.index);
  const text = (minor: bigint): string => formatDecimal(minor, asset.scale);
  const contract = totals["contract.available"] + totals["contract.order-margin"];
  const missingMinor = liabilityMinor - inFlightMinor - (reportedMinor ?? 0n);
  return {
    asset: asset.asset,
    liability: text(liabilityMinor),
    spotWallets: text(totals["spot.available"] + totals["spot.frozen"]),
    contractWallets: text(contract + totals["contract.position-margin"]),
    insurance: text(totals.insurance),
    fees: text(totals.fees + totals["affiliate-payable"]),
    clearing: text(totals["funding-clearing"] + totals["pnl-clearing"] + totals.rounding),
    inFlight: text(inFlightMinor),
    reported: reportedMinor === null ? null : text(reportedMinor),
    difference: reportedMinor === null ? null : text(reportedMinor - liabilityMinor),
    shortage: reportedMinor === null ? null : text(missingMinor > 0n ? missingMinor : 0n),
  };
}

/** The fee of a withdrawal stays. */
function inFlight({ withdrawals }: State, assetIndex: number): bigint {
  let sum = 0n;
  for (const withdrawal of withdrawals.open.values()) {
    if (withdrawal.assetIndex !== assetIndex || stateOf(withdrawal) !== "sent") continue;
    sum += withdrawal.amountMinor - withdrawal.feeMinor;
  }
  return sum;
}
