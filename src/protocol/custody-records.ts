/** The command, event and query of what custody holds, against what the exchange owes. */
import { list, nullable, record, struct, text, uint, type ValueOf } from "./record.ts";

const reportedBalance = struct({ asset: text, amount: text });

/** What custody held at `asOfMs`, null for now; replaces the report before. */
const reportCustody = record(112, "report-custody", {
  actor: text,
  asOfMs: nullable(uint),
  balances: list(reportedBalance),
});

export const CUSTODY_COMMANDS = [reportCustody] as const;

/** Decimal text of the asset; the liability is the sum of the amounts between the two. */
const custodyRow = struct({
  asset: text,
  liability: text,
  spotWallets: text,
  contractWallets: text,
  insurance: text,
  /** Fees, and what affiliates are owed of them. */
  fees: text,
  /** What is between accounts: profit, funding and rounding; any sign. */
  clearing: text,
  /** Of the spot wallets: withdrawals that were sent and are not booked out yet. */
  inFlight: text,
  /** Null where custody did not say. */
  reported: nullable(text),
  /** Reported minus liability. */
  difference: nullable(text),
  /** What is missing even if all that is in flight has left custody; "0" if nothing is. */
  shortage: nullable(text),
});
export type CustodyRow = ValueOf<typeof custodyRow>;

/** `reportedMs` is the moment of the liabilities. */
export const CUSTODY_REPORT_FIELDS = {
  actor: text,
  asOfMs: uint,
  reportedMs: uint,
  rows: list(custodyRow),
} as const;

const custodyReported = record(132, "custody-reported", CUSTODY_REPORT_FIELDS);

export const CUSTODY_EVENTS = [custodyReported] as const;

/** The last report. */
export interface CustodyReport {
  readonly actor: string;
  readonly asOfMs: number;
  readonly reportedMs: number;
  readonly rows: readonly CustodyRow[];
}
