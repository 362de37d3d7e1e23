/**
 * The naive comparison of what custody says that it holds with what the exchange owes: all wallets
 * added up, and every withdrawal looked through for what has left already. Shares nothing with the
 * engine.
 */
import type { CommandOf } from "../../src/protocol/index.ts";
import { exact, greatest, sum, text } from "../support/exact.ts";
import { type NaiveOutcome, refused } from "./naive-accounts.ts";
import { type NaiveWithdrawal, stateOf } from "./naive-withdrawals.ts";

/** What the comparison asks of the rest of the exchange. */
export interface NaiveOwner {
  /** As they were listed. */
  readonly assets: () => readonly string[];
  readonly unitOf: (asset: string) => bigint | null;
  /** By the names of the ledger's accounts. */
  readonly totals: (asset: string) => Readonly<Record<string, string>>;
  readonly withdrawals: () => readonly NaiveWithdrawal[];
}

type NaiveCustodyRow = Readonly<Record<string, string | null>>;

export interface NaiveCustodyReport {
  readonly actor: string;
  readonly asOfMs: number;
  readonly reportedMs: number;
  readonly rows: readonly NaiveCustodyRow[];
}

export class NaiveCustody {
  /** The last one. */
  last: NaiveCustodyReport | null = null;
  readonly #owner: NaiveOwner;

  constructor(owner: NaiveOwner) {
    this.#owner = owner;
  }

  report({ actor, asOfMs, balances }: CommandOf<"report-custody">, nowMs: number): NaiveOutcome {
    if (asOfMs !== null && asOfMs > nowMs) return refused("out-of-range");
    const said = new Map<string, bigint>();
    for (const { amount, asset } of balances) {
      const unit = this.#owner.unitOf(asset);
      if (unit === null) return refused("unknown-asset");
      if (said.has(asset)) return refused("malformed");
      if (exact(amount) % unit > 0n) return refused("excess-precision");
      said.set(asset, exact(amount));
    }
    const rows = this.#owner
      .assets()
      .map((asset) => this.#compare(asset, said.get(asset) ?? null))
      .filter(({ liability, reported }) => reported !== null || liability !== "0");
    this.last = { actor, asOfMs: asOfMs ?? nowMs, reportedMs: nowMs, rows };
    const { actor: _, ...told } = this.last;
    return { ok: true, value: null, events: [{ type: "custody-reported", ...told }] };
  }

  /** All that came and did not leave. */
  owed(asset: string): bigint {
    return -exact(this.#owner.totals(asset).external ?? "0");
  }

  /** Sent, and not yet known to have arrived; the fee of it stays. */
  inFlight(asset: string): bigint {
    const sent = this.#owner.withdrawals().filter((one) => stateOf(one) === "sent");
    const mine = sent.filter((one) => one.asset === asset);
    return sum(mine.map(({ amount, fee }) => amount - fee));
  }

  #compare(asset: string, said: bigint | null): NaiveCustodyRow {
    const totals = this.#owner.totals(asset);
    const total = (...names: readonly string[]) =>
      text(sum(names.map((name) => exact(totals[name] ?? "0"))));
    const [owed, inFlight] = [this.owed(asset), this.inFlight(asset)];
    const margins = ["contract.order-margin", "contract.position-margin"];
    return {
      asset,
      liability: text(owed),
      spotWallets: total("spot.available", "spot.frozen"),
      contractWallets: total("contract.available", ...margins),
      insurance: total("insurance"),
      fees: total("fees", "affiliate-payable"),
      clearing: total("funding-clearing", "pnl-clearing", "rounding"),
      inFlight: text(inFlight),
      reported: said === null ? null : text(said),
      difference: said === null ? null : text(said - owed),
      shortage: said === null ? null : text(greatest(0n, owed - inFlight - said)),
    };
  }
}
