/**
 * An exchange with a spot and a contract market and users who invite one another, for tests of the
 * affiliate programme by whole commands. A second engine does the same and is put through a
 * snapshot again and again: it must not be told from the first.
 */

import { invariant, type RejectReason } from "../../../src/domain/index.ts";
import { Engine } from "../../../src/engine/index.ts";
import type { HashKey } from "../../../src/engine/matching/client-order-key.ts";
import { RULES_VERSION } from "../../../src/engine/rules-version.ts";
import type { Sha256 } from "../../../src/engine/snapshot.ts";
import {
  type AffiliateBalanceView,
  type AffiliateQueryAnswers,
  ByteWriter,
  type Command,
  type CommandAnswers,
  type CommandOf,
  type CommandResult,
  type CommandType,
  type EngineQuery,
  type Event,
  type EventOf,
  type EventType,
  type QueryAnswers,
  readEvents,
} from "../../../src/protocol/index.ts";
import { BTC_SPOT } from "../listings.ts";
import { EXAMPLE_RULES } from "./trading-fixture.ts";

const ACTOR = "operator";
/** The first day of 2026, UTC, ten past eight: the first full hour is fifty minutes away. */
export const START_MS = 1_767_255_000_000;
const HASH_KEYS: readonly [HashKey, HashKey] = [
  { high: 1, low: 2 },
  { high: 3, low: 4 },
];
const ASSETS = ["USDT", "BTC", "ETH"];

type Place = CommandOf<"place-spot-order">;
type Refused = `${RejectReason} ${string}`;

export class AffiliateFixture {
  readonly #sha256: Sha256;
  readonly #restartEvery: number;
  engine: Engine;
  restored: Engine;
  nowMs = START_MS;
  sequence = 0;
  /** Since the last look by `told`. */
  events: Event[] = [];
  #ids = 0;
  #commands = 0;

  /** The second engine restarts after every so many commands; then the state is checked, too. */
  constructor(sha256: Sha256, restartEvery = 1) {
    this.#sha256 = sha256;
    this.#restartEvery = restartEvery;
    this.engine = Engine.create(sha256, HASH_KEYS[0]);
    this.restored = Engine.create(sha256, HASH_KEYS[1]);
    this.must({ type: "adopt-rules", version: RULES_VERSION });
    for (const [i, asset] of ASSETS.entries()) {
      const terms = { asset, coinId: i + 1, name: asset, scale: 8 };
      this.must({ type: "set-asset", actor: ACTOR, ...terms });
    }
    this.#list("BTCUSDT", "BTC", "USDT");
    this.#list("ETHBTC", "ETH", "BTC");
  }

  /** BTCUSDT as a contract, too; without it there is no timer but that of the settlement. */
  listContract(changes: Partial<CommandOf<"set-contract-market">> = {}): void {
    this.must({ ...EXAMPLE_RULES, ...changes });
  }

  #list(symbol: string, baseAsset: string, quoteAsset: string): void {
    this.must({
      type: "set-spot-market",
      actor: ACTOR,
      ...BTC_SPOT,
      ...{ symbol, baseAsset, quoteAsset },
      ...{ tickSize: "0.0001", stepSize: "0.0001", minTradeAmount: "0.0001" },
      takerFeeRate: "0.002",
      maxOpenOrders: 1000,
    });
  }

  /** Applies a command to both engines, and asks both for everything there is to compare. */
  execute(command: Command): CommandResult {
    const sequence = this.sequence + 1;
    const [one, other] = [new ByteWriter(), new ByteWriter()];
    const result = this.engine.apply(command, sequence, this.nowMs, one);
    const again = this.restored.apply(command, sequence, this.nowMs, other);
    invariant(JSON.stringify(again) === JSON.stringify(result), "the answers are the same");
    const bytes = one.toBytes();
    const same = `${bytes}` === `${other.toBytes()}`;
    invariant(same, `the events of ${command.type} are the same`);
    if (bytes.length > 0) this.sequence = sequence;
    for (const event of readEvents(bytes)) {
      if (event.type !== "command-applied") this.events.push(event);
    }
    this.#commands++;
    if (this.#commands % this.#restartEvery === 0) this.restart();
    while (this.engine.hasUnfinishedRisk) this.execute({ type: "continue-risk" });
    return result;
  }

  must<Type extends CommandType>(command: CommandOf<Type>): CommandAnswers[Type] {
    const result = this.execute(command as Command);
    invariant(result.ok, `${command.type} is accepted: ${JSON.stringify(result)}`);
    return result.value as CommandAnswers[Type];
  }

  /** Why a command is refused, and on which field; it must not have left a trace. */
  refusal(command: Command): Refused | "accepted" {
    const before = this.engine.stateHash();
    const emitted = this.events.length;
    const result = this.execute(command);
    if (result.ok) return "accepted";
    invariant(this.engine.stateHash() === before, "a refused command changes nothing");
    invariant(this.events.length === emitted, "and tells nothing");
    return `${result.reason} ${result.field}`;
  }

  /** The second engine goes on as one that was read from a snapshot. */
  restart(): void {
    const sections = this.restored.snapshotSections();
    const { timestampMs } = this.restored;
    this.restored = Engine.restore(sections, timestampMs, this.#sha256, HASH_KEYS[0]);
    invariant(this.restored.stateHash() === this.engine.stateHash(), "the states are the same");
    invariant(this.restored.nextDueMs === this.engine.nextDueMs, "the same is due");
    for (const engine of [this.engine, this.restored]) {
      const answer = engine.query({ type: "invariants" }, this.nowMs);
      invariant(answer.ok, "invariants are no secret");
      const { violations } = answer.value as QueryAnswers["invariants"];
      invariant(violations.length === 0, violations.join("; "));
    }
  }

  /** Time goes on, and what is due on the way happens. */
  wait(byMs: number): void {
    this.nowMs += byMs;
    if (this.engine.nextDueMs > this.nowMs) return;
    this.must({ type: "advance-time", toMs: this.nowMs });
  }

  /** The events of a type since the last call of any kind, which forgets all of them. */
  emitted<Type extends EventType>(type: Type): EventOf<Type>[] {
    const events = this.events.filter((event) => event.type === type);
    this.events = [];
    return events as EventOf<Type>[];
  }

  ask<Type extends EngineQuery["type"]>(
    query: Extract<EngineQuery, { readonly type: Type }>,
  ): QueryAnswers[Type] {
    const answer = this.engine.query(query, this.nowMs);
    invariant(answer.ok, `${query.type} is answered`);
    return answer.value as QueryAnswers[Type];
  }

  affiliateView(uid: number): AffiliateQueryAnswers["affiliate"] {
    return this.ask({ type: "affiliate", uid });
  }

  /** What an affiliate has coming, as "payable/held/owed". */
  coming(uid: number, asset: string): string {
    const isIt = (balance: AffiliateBalanceView) => balance.asset === asset;
    const balance = this.affiliateView(uid).balances.find(isIt);
    return balance === undefined ? "none" : `${balance.payable}/${balance.held}/${balance.owed}`;
  }

  /** Free spot balance. */
  free(uid: number, asset: string): string {
    const balances = this.ask({ type: "spot-balances", uid });
    return balances.find((balance) => balance.asset === asset)?.available ?? "";
  }

  /** What a house account holds. */
  house(asset: string, account: string): string {
    return this.ask({ type: "invariants" }).totals[asset]?.[account] ?? "";
  }

  user(uid: number, inviterUid: number | null = null): void {
    this.must({
      type: "register-user",
      actor: ACTOR,
      uid,
      inviteCode: `code${uid}`,
      invitedWith: inviterUid === null ? null : `code${inviterUid}`,
      kyc: false,
    });
  }

  /** A user who can pay for everything. */
  trader(uid: number, inviterUid: number | null = null): void {
    this.user(uid, inviterUid);
    for (const asset of ASSETS) this.deposit(uid, asset, "100000000");
    this.deposit(uid, "USDT", "100000000", "contract");
  }

  deposit(uid: number, asset: string, amount: string, wallet: "spot" | "contract" = "spot"): void {
    const requestId = `deposit-${++this.#ids}`;
    this.must({ type: "deposit-funds", actor: ACTOR, requestId, uid, wallet, asset, amount });
  }

  withdraw(uid: number, asset: string, amount: string): void {
    const requestId = `withdrawal-${++this.#ids}`;
    const terms = { requestId, uid, wallet: "spot", asset, amount } as const;
    this.must({ type: "withdraw-funds", actor: ACTOR, ...terms });
  }

  affiliate(
    uid: number,
    spotRate: string,
    futuresRate: string,
    parentUid: number | null = null,
  ): CommandOf<"set-affiliate"> {
    return { type: "set-affiliate", actor: ACTOR, uid, spotRate, futuresRate, parentUid };
  }

  policy(changes: Partial<CommandOf<"set-affiliate-policy">> = {}): void {
    this.must({
      type: "set-affiliate-policy",
      actor: ACTOR,
      capPerReferral30d: null,
      holdSelfReferral: false,
      holdWashTrades: false,
      washTradeShare: "0.5",
      ...changes,
    });
  }

  spotOrder(uid: number, side: "BUY" | "SELL", quantity: string, price: string): Place {
    return {
      type: "place-spot-order",
      uid,
      symbol: "BTCUSDT",
      side,
      orderType: "LIMIT",
      timeInForce: "GTC",
      price,
      quantity,
      quantityUnit: "base",
      clientOrderId: `order-${++this.#ids}`,
    };
  }

  /** The maker sells, the taker buys: the one pays its fee in quote, the other in base. */
  trade(
    makerUid: number,
    takerUid: number,
    quantity = "1",
    price = "100",
    symbol = "BTCUSDT",
  ): void {
    this.must({ ...this.spotOrder(makerUid, "SELL", quantity, price), symbol });
    this.must({ ...this.spotOrder(takerUid, "BUY", quantity, price), symbol });
  }

  contractOrder(
    uid: number,
    intent: "BUY LONG" | "SELL LONG" | "SELL SHORT" | "BUY SHORT",
    quantity: string,
    price: string,
  ): CommandOf<"place-contract-order"> {
    const [side, positionSide] = intent.split(" ") as ["BUY" | "SELL", "LONG" | "SHORT"];
    return {
      type: "place-contract-order",
      uid,
      symbol: "BTCUSDT",
      side,
      positionSide,
      orderType: "LIMIT",
      timeInForce: "GTC",
      price,
      quantity,
      clientOrderId: `order-${++this.#ids}`,
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    };
  }

  index(price: string, symbol = "BTCUSDT"): void {
    this.must({ type: "set-index-price", actor: ACTOR, symbol, price, force: true });
  }

  settle(): number {
    const reason = "early";
    return this.must({ type: "settle-commissions", actor: ACTOR, reason }).settlements;
  }

  release(commissionId: number): CommandOf<"release-commission"> {
    return { type: "release-commission", actor: ACTOR, commissionId, reason: "looked at" };
  }

  /** The reversal of a commission, by what its event said. */
  reversal(commission: EventOf<"commission-accrued">): CommandOf<"reverse-commission"> {
    const { commissionId, affiliateUid, traderUid, product, symbol, asset } = commission;
    return {
      type: "reverse-commission",
      actor: ACTOR,
      reason: "fraud",
      commissionId,
      affiliateUid,
      traderUid,
      product,
      symbol,
      asset,
      amount: textOf(commission.commissionMinor),
    };
  }

  payment(
    uid: number,
    toUid: number,
    amount: string,
    requestId: string | null = null,
  ): CommandOf<"withdraw-internally"> {
    return { type: "withdraw-internally", uid, toUid, asset: "USDT", amount, requestId };
  }
}

/** Minor units of the fixture's assets as decimal text. */
export function textOf(minor: bigint): string {
  const digits = minor.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, "");
}

/** A commission as "affiliate<via trader: commission of fee at rate%". */
export function rowText(row: EventOf<"commission-accrued">): string {
  const via = row.viaUid === null ? "" : ` via ${row.viaUid}`;
  const cap = row.cappedMinor === 0n ? "" : `, ${textOf(row.cappedMinor)} capped`;
  const flags = row.flags.length === 0 ? "" : `, ${row.flags.join(" ")}`;
  const held = row.isHeld ? ", held" : "";
  const commission = `${textOf(row.commissionMinor)} ${row.asset}`;
  return `${row.affiliateUid}${via}: ${commission} of ${textOf(row.feeMinor)}${cap}${flags}${held}`;
}
