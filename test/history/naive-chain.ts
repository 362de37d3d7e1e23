/** An affiliate's chain of entries, written apart from the product: see the naive model. */
import { createHash } from "node:crypto";
import type { EventOf } from "../../src/protocol/index.ts";
import type { StatementEntry, StatementHead } from "../../src/queries/index.ts";
import { text } from "../support/exact.ts";
import { day } from "./affiliate-answers.ts";
import type { Listing } from "./listed.ts";

type ChainEvent =
  | EventOf<"commission-accrued">
  | EventOf<"commission-released">
  | EventOf<"commission-reversed">
  | EventOf<"commissions-settled">;

type Facts = Omit<
  StatementEntry,
  "ordinal" | "timeMs" | "kind" | "asset" | "payableAfter" | "heldAfter" | "owedAfter" | "hash"
>;

const EMPTY: Facts = {
  id: 0,
  aboutId: 0,
  product: "",
  symbol: "",
  traderUid: 0,
  role: "",
  tradeId: 0,
  viaUid: 0,
  notional: "0",
  fee: "0",
  rate: "0",
  rateVersion: 0,
  viaRateVersion: 0,
  capped: "0",
  amount: "0",
  flags: [],
  isHeld: false,
  fromPayable: "0",
  fromSpot: "0",
  newlyOwed: "0",
  recovered: "0",
  paid: "0",
};

export class NaiveChain {
  readonly genesis: string;
  readonly entries: StatementEntry[] = [];
  readonly #listing: Listing;
  readonly #affiliateUid: number;
  readonly #balances = new Map<string, { payable: bigint; held: bigint; owed: bigint }>();

  constructor(listing: Listing, affiliateUid: number) {
    this.#listing = listing;
    this.#affiliateUid = affiliateUid;
    this.genesis = sha256(`rialto affiliate statement v1\n${affiliateUid}\n`);
  }

  /** `isHeld`: the commission that is taken back was held until now. */
  add(event: ChainEvent, isHeld: boolean, timeMs: number): void {
    const { asset } = event;
    const { units } = this.#listing;
    const balance = this.#balances.get(asset) ?? { payable: 0n, held: 0n, owed: 0n };
    this.#balances.set(asset, balance);
    const { kind, ...facts } = this.#tell(event, isHeld, balance);
    const entry = {
      ordinal: this.entries.length + 1,
      timeMs,
      kind,
      asset,
      ...EMPTY,
      ...facts,
      payableAfter: units(balance.payable, asset),
      heldAfter: units(balance.held, asset),
      owedAfter: units(balance.owed, asset),
    };
    const hash = sha256(`${this.entries.at(-1)?.hash ?? this.genesis}\n${lineOf(entry)}`);
    this.entries.push({ ...entry, hash });
  }

  heads(fromDay: string, limit: number): StatementHead[] {
    const days = Map.groupBy(this.entries, ({ timeMs }) => day(timeMs));
    return [...days]
      .filter(([name]) => name >= fromDay)
      .map(([name, entries]) => {
        const { ordinal, hash } = entries.at(-1) as StatementEntry;
        return { affiliateUid: this.#affiliateUid, day: name, ordinal, hash };
      })
      .slice(0, limit);
  }

  #tell(
    event: ChainEvent,
    isHeld: boolean,
    balance: { payable: bigint; held: bigint; owed: bigint },
  ): Partial<Facts> & Pick<StatementEntry, "kind"> {
    const { units } = this.#listing;
    const amountOf = (minor: bigint) => units(minor, event.asset);
    switch (event.type) {
      case "commission-accrued": {
        balance[event.isHeld ? "held" : "payable"] += event.commissionMinor;
        const market = this.#listing[event.product](event.symbol);
        const { product, symbol, traderUid, tradeId, rateVersion, flags } = event;
        return {
          kind: "commission",
          id: event.commissionId,
          ...{ product, symbol, traderUid, tradeId, rateVersion, flags, isHeld: event.isHeld },
          role: event.isMaker ? "maker" : "taker",
          viaUid: event.viaUid ?? 0,
          viaRateVersion: event.viaRateVersion ?? 0,
          notional: units(event.notionalMinor, market.quote),
          fee: amountOf(event.feeMinor),
          rate: text(BigInt(event.rateE8) * 10n ** 10n),
          capped: amountOf(event.cappedMinor),
          amount: amountOf(event.commissionMinor),
        };
      }
      case "commission-released":
        balance.held -= event.amountMinor;
        balance.payable += event.amountMinor;
        return {
          kind: "release",
          aboutId: event.commissionId,
          amount: amountOf(event.amountMinor),
        };
      case "commission-reversed": {
        balance[isHeld ? "held" : "payable"] -= event.fromPayableMinor;
        balance.owed += event.owedMinor;
        const { product, symbol, traderUid } = event;
        return {
          kind: "reversal",
          id: event.reversalId,
          aboutId: event.commissionId,
          ...{ product, symbol, traderUid, isHeld },
          amount: amountOf(event.amountMinor),
          fromPayable: amountOf(event.fromPayableMinor),
          fromSpot: amountOf(event.fromSpotMinor),
          newlyOwed: amountOf(event.owedMinor),
        };
      }
      case "commissions-settled":
        balance.payable -= event.accruedMinor;
        balance.owed -= event.recoveredMinor;
        return {
          kind: "settlement",
          id: event.settlementId,
          amount: amountOf(event.accruedMinor),
          recovered: amountOf(event.recoveredMinor),
          paid: amountOf(event.paidMinor),
        };
    }
  }
}

function lineOf(e: Omit<StatementEntry, "hash">): string {
  const about = [e.ordinal, e.timeMs, e.kind, e.id, e.aboutId, e.product, e.symbol, e.traderUid];
  const fill = [e.role, e.tradeId, e.viaUid, e.asset, e.notional, e.fee, e.rate, e.rateVersion];
  const earned = [e.viaRateVersion, e.capped, e.amount, e.flags.join("+"), e.isHeld];
  const moved = [e.fromPayable, e.fromSpot, e.newlyOwed, e.recovered, e.paid];
  const after = [e.payableAfter, e.heldAfter, e.owedAfter];
  return [...about, ...fill, ...earned, ...moved, ...after].join(",");
}

function sha256(content: string): string {
  return createHash("sha256").update(content).digest("hex");
}
