/**
 * What the real engine says of an affiliate programme in use: people who trade spot and contracts
 * with one another, a tree whose rates change, caps, holds, operators and the clock.
 */
import { createHash } from "node:crypto";
import { formatDecimal } from "../../src/domain/index.ts";
import { Engine } from "../../src/engine/index.ts";
import { ByteWriter, type Command, type EventOf, readEvents } from "../../src/protocol/index.ts";
import { HASH_KEY } from "../support/hash-key.ts";
import type { Random } from "../support/random.ts";
import { AFFILIATES } from "./affiliate-events.ts";
import type { AppliedCommand } from "./event-stream.ts";
import { ASSETS, CONTRACTS, MARKETS, USERS } from "./listed.ts";

const ACTOR = "operator";
const PEOPLE = [...new Set<number>([...AFFILIATES, ...USERS, 2_001, 2_002, 2_003])];
const START_MS = Date.UTC(2026, 2, 27, 9);
const PAUSES_MS = [0, 1, 40_000, 1_200_000, 9_000_000];
/** Ticks around which a market trades. */
const CENTRE_TICKS = 2_000;

export class EngineTraffic {
  readonly commands: AppliedCommand[] = [];
  readonly #random: Random;
  readonly #engine = Engine.create(sha256, HASH_KEY);
  readonly #earned: EventOf<"commission-accrued">[] = [];
  #nowMs = START_MS;
  #lastRequest = 0;

  constructor(random: Random) {
    this.#random = random;
    for (const command of this.#listings()) this.#submit(command);
    for (const uid of PEOPLE) this.#arrive(uid);
  }

  run(steps: number): void {
    const random = this.#random;
    for (let i = 0; i < steps; i++) {
      if (random.chance(0.3)) this.#nowMs += random.pick(PAUSES_MS);
      this.#submit(random.chance(0.8) ? this.#order() : this.#programme());
    }
  }

  #submit(command: Command): void {
    if (this.#engine.nextDueMs <= this.#nowMs) {
      this.#apply({ type: "advance-time", toMs: this.#nowMs });
    }
    this.#apply(command);
    while (this.#engine.hasUnfinishedRisk) this.#apply({ type: "continue-risk" });
  }

  #apply(command: Command): void {
    const sequence = this.commands.length + 1;
    const writer = new ByteWriter();
    this.#engine.apply(command, sequence, this.#nowMs, writer);
    const events = [...readEvents(writer.toBytes())].filter(
      ({ type }) => type !== "command-applied",
    );
    if (events.length === 0) return;
    this.commands.push({ sequence, timestampMs: this.#nowMs, events });
    for (const event of events) if (event.type === "commission-accrued") this.#earned.push(event);
  }

  #arrive(uid: number): void {
    const random = this.#random;
    const before = PEOPLE.slice(0, PEOPLE.indexOf(uid));
    const inviter = before.length === 0 || random.chance(0.1) ? null : random.pick(before);
    const invitedWith = inviter === null ? null : `I${inviter}`;
    const kyc = random.chance(0.5);
    const registered = { uid, inviteCode: `I${uid}`, invitedWith, kyc };
    this.#submit({ type: "register-user", actor: ACTOR, ...registered });
    for (const { asset } of ASSETS) {
      this.#deposit(uid, "spot", asset, "100000");
      this.#deposit(uid, "contract", asset, "100000");
    }
  }

  #deposit(uid: number, wallet: "spot" | "contract", asset: string, amount: string): void {
    const requestId = `d${++this.#lastRequest}`;
    this.#submit({ type: "deposit-funds", actor: ACTOR, requestId, uid, wallet, asset, amount });
  }

  #order(): Command {
    const random = this.#random;
    const uid = random.pick(PEOPLE);
    const side = random.pick(["BUY", "SELL"] as const);
    const ticks = CENTRE_TICKS + random.integer(-30, 30);
    const lots = BigInt(random.integer(1, 500));
    const common = {
      uid,
      side,
      orderType: "LIMIT",
      clientOrderId: `o${++this.#lastRequest}`,
    } as const;
    if (random.chance(0.6)) {
      const market = random.pick(MARKETS);
      return {
        type: "place-spot-order",
        ...common,
        symbol: market.symbol,
        timeInForce: "GTC",
        price: steps(ticks, market.ticks[0]),
        quantity: steps(lots, market.step),
        quantityUnit: "base",
      };
    }
    const contract = random.pick(CONTRACTS);
    return {
      type: "place-contract-order",
      ...common,
      symbol: contract.symbol,
      positionSide: side === "BUY" ? "LONG" : "SHORT",
      timeInForce: "GTC",
      price: steps(ticks, contract.ticks[0]),
      quantity: steps(lots, contract.step),
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    };
  }

  /** What operators and affiliates ask for. */
  #programme(): Command {
    const random = this.#random;
    const actor = ACTOR;
    const reason = "looked at";
    const kind = random.next();
    if (kind < 0.35) return this.#setAffiliate();
    if (kind < 0.4) return this.#setPolicy();
    if (kind < 0.45) {
      const uid = random.pick(PEOPLE);
      return { type: "set-house-account", actor, uid, house: random.chance(0.2) };
    }
    if (kind < 0.6) {
      const held = random.pick(this.#earned.filter(({ isHeld }) => isHeld));
      const commissionId = held?.commissionId ?? 1;
      return { type: "release-commission", actor, commissionId, reason };
    }
    if (kind < 0.7) return this.#reverse();
    if (kind < 0.8) return { type: "settle-commissions", actor, reason };
    if (kind < 0.9) {
      const [uid, toUid] = [random.pick(AFFILIATES), random.pick(PEOPLE)];
      const asset = random.pick(ASSETS).asset;
      const amount = String(random.integer(1, 30_000));
      return { type: "withdraw-internally", uid, toUid, asset, amount, requestId: null };
    }
    const wallet = random.pick(["spot", "contract"] as const);
    const [uid, asset] = [random.pick(PEOPLE), random.pick(ASSETS).asset];
    const funds = {
      actor,
      requestId: `w${++this.#lastRequest}`,
      uid,
      wallet,
      asset,
      amount: "7.5",
    };
    return { type: random.pick(["deposit-funds", "withdraw-funds"]), ...funds };
  }

  #setAffiliate(): Command {
    const random = this.#random;
    return {
      type: "set-affiliate",
      actor: ACTOR,
      uid: random.pick(AFFILIATES),
      spotRate: random.pick(["0", "0.1", "0.25", "0.33333333", "0.5"]),
      futuresRate: random.pick(["0", "0.2", "0.44444444", "0.8"]),
      parentUid: random.chance(0.6) ? random.pick(AFFILIATES) : null,
    };
  }

  #setPolicy(): Command {
    const random = this.#random;
    return {
      type: "set-affiliate-policy",
      actor: ACTOR,
      capPerReferral30d: random.pick([null, "0.5", "50"]),
      holdSelfReferral: random.chance(0.7),
      holdWashTrades: random.chance(0.7),
      washTradeShare: random.pick(["0", "0.3"]),
    };
  }

  #reverse(): Command {
    const earned = this.#random.pick(this.#earned);
    const asset = earned?.asset ?? "USDT";
    const scale = ASSETS.find((listed) => listed.asset === asset)?.scale ?? 0;
    return {
      type: "reverse-commission",
      actor: ACTOR,
      commissionId: earned?.commissionId ?? 1,
      reason: "a mistake",
      affiliateUid: earned?.affiliateUid ?? 1,
      traderUid: earned?.traderUid ?? 1,
      product: earned?.product ?? "spot",
      symbol: earned?.symbol ?? "",
      asset,
      amount: formatDecimal(earned?.commissionMinor ?? 1n, scale),
    };
  }

  *#listings(): Generator<Command> {
    const actor = ACTOR;
    for (const [index, { asset, scale }] of ASSETS.entries()) {
      yield { type: "set-asset", actor, asset, coinId: index + 1, name: asset, scale };
    }
    const common = {
      ...{ makerFeeRate: "0.0007", takerFeeRate: "0.00133333" },
      ...{ buyLimitPriceRatio: "10", sellLimitPriceRatio: "0.9" },
      maxOpenOrders: 200,
      state: "trading",
    } as const;
    for (const { symbol, base, quote, ticks, step } of MARKETS) {
      const market = { symbol, baseAsset: base, quoteAsset: quote, tickSize: ticks[0] };
      const sizes = { stepSize: step, minTradeAmount: step, maxTradeAmount: steps(1e6, step) };
      yield { type: "set-spot-market", actor, ...market, ...sizes, ...common, minNotional: "0" };
    }
    for (const { symbol, base, quote, ticks, step } of CONTRACTS) {
      const most = steps(1e6, step);
      yield {
        type: "set-contract-market",
        ...{ actor, symbol, baseAsset: base, quoteAsset: quote, marginAsset: quote },
        ...{ tickSize: ticks[0], stepSize: step, pricePrecision: 4, quantityPrecision: 3 },
        ...{ contractVal: step, minOrderSize: step, maxOrderSize: most },
        ...{ maxPositionSize: most, marketOpenLimitSize: most },
        ...{ minLeverage: 1, maxLeverage: 100, defaultLeverage: 20 },
        ...common,
        ...{ liquidateFeeRate: "0.01", interestRate: "0.0001", fundingInnerClamp: "0.0005" },
        ...{ fundingRateCap: "0.0075", fundingBufferRate: "0.0005", impactNotional: "100" },
        ...{ insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" },
        ...{ fundingIntervalMinutes: 480, indexStaleMs: 900_000_000 },
        tiers: [{ maxNotional: "100000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
      };
      const price = steps(CENTRE_TICKS, ticks[0]);
      yield { type: "set-index-price", actor, symbol, price, force: true };
    }
  }
}

/** Decimal text of so many ticks or lots. */
function steps(count: number | bigint, size: string): string {
  const decimals = size.includes(".") ? size.length - size.indexOf(".") - 1 : 0;
  return formatDecimal(BigInt(count) * BigInt(size.replace(".", "")), decimals);
}

function sha256(parts: readonly Uint8Array[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
