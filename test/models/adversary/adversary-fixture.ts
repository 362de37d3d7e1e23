/**
 * The exchanges for the adversary search: two contracts with one insurance fund, three colluding
 * accounts, and two honest ones that pay no fees, so that any loss of theirs was taken from them.
 * An exchange is set up once and kept as a snapshot, because an episode lasts milliseconds.
 */
import { RULES_VERSION } from "../../../src/engine/index.ts";
import type { Command, CommandOf, SnapshotSection } from "../../../src/protocol/index.ts";
import { LiveEngine } from "../live-engine.ts";
import { registration } from "../spot-setup.ts";

const ACTOR = "operator";
/** Shortly before a full hour that is a funding slot as well. */
const START_MS = Date.UTC(2026, 0, 1, 7, 59, 20, 500);
/** So long before, almost a funding slot: nobody makes its rate by the samples of one minute. */
const SET_UP_MS = Date.UTC(2026, 0, 1, 0, 0, 0, 500);
export const HAND = [11, 12, 13] as const;
/** Quotes at or outside the index, with money for anything. */
export const MAKER = 21;
/** Holds a position and does nothing. */
export const HOLDER = 22;
export const HONEST = [MAKER, HOLDER] as const;
export const ASSET = "USDT";
export const BASE = "BTC";

/** What the oracles need to know of a contract, in ticks, lots and parts of a hundred million. */
export interface Listing {
  readonly symbol: string;
  readonly indexTicks: number;
  /** Ticks and lots of one unit. */
  readonly perUnit: number;
  readonly perLot: number;
  readonly maxLeverage: number;
  readonly maintenanceE8: number;
  readonly rules: CommandOf<"set-contract-market">;
}

export interface FixtureForm {
  readonly takesFees: boolean;
  /** The index of the first contract is that of a spot market of the exchange. */
  readonly hasSpotIndex: boolean;
  readonly hasBreaker: boolean;
}

export interface AdversaryFixture {
  readonly form: FixtureForm;
  readonly sections: readonly SnapshotSection[];
  readonly sequence: number;
  readonly startMs: number;
  readonly listings: readonly Listing[];
}

/** Of the contract with the spot index: nobody of the hand could ever offer as much base. */
const SPOT_IMPACT = "200000";
export const DRAW_LIMIT_E8 = 10_000_000n;
export const SLIPPAGE_E8 = 200_000n;

const FORMS: readonly FixtureForm[] = [
  { takesFees: false, hasSpotIndex: false, hasBreaker: false },
  { takesFees: false, hasSpotIndex: false, hasBreaker: true },
  { takesFees: true, hasSpotIndex: false, hasBreaker: false },
  { takesFees: false, hasSpotIndex: true, hasBreaker: false },
];

export function adversaryFixtures(): AdversaryFixture[] {
  return FORMS.map(fixtureOf);
}

function fixtureOf(form: FixtureForm): AdversaryFixture {
  const listings = [bitcoin(form), ether(form)];
  const live = new LiveEngine();
  live.nowMs = SET_UP_MS;
  const execute = (command: Command): void => {
    const dueMs = live.engine.nextDueMs;
    if (dueMs <= live.nowMs) live.execute({ type: "advance-time", toMs: live.nowMs });
    const { result } = live.execute(command);
    if (!result.ok) throw new Error(`${command.type}: ${result.reason} ${result.field}`);
  };
  for (const command of setUp(form, listings)) execute(command);
  // Long enough for a first index from the spot market.
  for (const atMs of [SET_UP_MS + 60_000, START_MS]) {
    live.nowMs = atMs;
    live.execute({ type: "advance-time", toMs: atMs });
  }
  execute({ type: "cancel-all-spot-orders", uid: MAKER, symbol: "BTCUSDT" });
  const sections = live.engine.snapshotSections();
  return { form, sections, sequence: live.sequence, startMs: START_MS, listings };
}

function setUp(form: FixtureForm, listings: readonly Listing[]): Command[] {
  const everybody = [...HAND, ...HONEST];
  const asset = (name: string, coinId: number): Command => {
    return { type: "set-asset", actor: ACTOR, asset: name, coinId, name, scale: 8 };
  };
  const spot = SPOT_RULES;
  return [
    { type: "adopt-rules", version: RULES_VERSION },
    ...[asset(ASSET, 1), asset(BASE, 2), asset("ETH", 3)],
    spot,
    ...listings.map(({ rules }) => rules),
    ...everybody.map((uid) => registration(uid, `invite-${uid}`, null)),
    ...HONEST.flatMap((uid) => withoutFees(uid)),
    ...everybody.flatMap(deposits),
    {
      ...{ type: "deposit-insurance", actor: ACTOR, requestId: "fund", asset: ASSET },
      // Small where its hourly limit is to be reached.
      amount: form.hasBreaker ? "5000" : "100000",
    },
    ...spotQuotes("60000", "1000"),
    ...listings.flatMap((listing, i) => (form.hasSpotIndex && i === 0 ? [] : [pushed(listing)])),
  ];
}

function pushed({ symbol, indexTicks, perUnit }: Listing): Command {
  return setIndex(symbol, String(indexTicks / perUnit));
}

export function setIndex(symbol: string, price: string): Command {
  return { type: "set-index-price", actor: ACTOR, symbol, price, force: false };
}

function withoutFees(uid: number): Command[] {
  return (["spot", "contract"] as const).map((product) => ({
    ...{ type: "set-fee-rates", actor: ACTOR, uid, product, symbol: null },
    ...{ makerFeeRate: "0", takerFeeRate: "0" },
  }));
}

const FUNDS: Readonly<Record<number, readonly [contract: string, spot: string, base: string]>> = {
  [MAKER]: ["100000000", "10000000", "2000"],
  [HOLDER]: ["10000", "0.1", "0.1"],
};
const FUNDS_OF_HAND = ["20000", "5000", "0.5"] as const;

function deposits(uid: number): Command[] {
  const [contract, spot, base] = FUNDS[uid] ?? FUNDS_OF_HAND;
  const deposit = (wallet: "contract" | "spot", asset: string, amount: string): Command => ({
    ...{ type: "deposit-funds", actor: ACTOR, requestId: `${wallet}-${asset}-${uid}` },
    ...{ uid, wallet, asset, amount },
  });
  return [
    deposit("contract", ASSET, contract),
    deposit("spot", ASSET, spot),
    deposit("spot", BASE, base),
  ];
}

const SPOT_RULES: CommandOf<"set-spot-market"> = {
  ...{ type: "set-spot-market", actor: ACTOR, symbol: "BTCUSDT" },
  ...{ baseAsset: BASE, quoteAsset: ASSET, tickSize: "0.1", stepSize: "0.0001" },
  ...{ minTradeAmount: "0.0001", maxTradeAmount: "1000", minNotional: "0" },
  ...{ makerFeeRate: "0", takerFeeRate: "0" },
  ...{ buyLimitPriceRatio: "1", sellLimitPriceRatio: "0.9", maxOpenOrders: 200 },
  state: "trading",
};

/** Of the honest maker, three hundredths of a percent around the price. */
export function spotQuotes(price: string, id: string): Command[] {
  return (["BUY", "SELL"] as const).map((side) => ({
    ...{ type: "place-spot-order", uid: MAKER, symbol: "BTCUSDT", side },
    ...{ orderType: "LIMIT", timeInForce: "GTC", quantityUnit: "base", quantity: "100" },
    price: String(Number(price) + (side === "BUY" ? -18 : 18)),
    clientOrderId: `spot-${id}-${side}`,
  }));
}

function bitcoin(form: FixtureForm): Listing {
  return listing(form, {
    ...{ symbol: "BTCUSDT", baseAsset: BASE, tickSize: "0.1", stepSize: "0.001" },
    ...{ pricePrecision: 1, quantityPrecision: 3, contractVal: "0.001", minOrderSize: "0.001" },
    maxLeverage: 100,
    impactNotional: form.hasSpotIndex ? SPOT_IMPACT : "10000",
    tiers: [
      { maxNotional: "300000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
      { maxNotional: "600000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
      { maxNotional: "1500000", maintenanceMarginRate: "0.025", maxLeverage: 20 },
      { maxNotional: "1000000000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
    ],
  });
}

/** Its positions may lose far less than their margin before they are due. */
function ether(form: FixtureForm): Listing {
  return listing(form, {
    ...{ symbol: "ETHUSDT", baseAsset: "ETH", tickSize: "0.01", stepSize: "0.01" },
    ...{ pricePrecision: 2, quantityPrecision: 2, contractVal: "0.01", minOrderSize: "0.01" },
    maxLeverage: 20,
    impactNotional: "10000",
    tiers: [
      { maxNotional: "400000", maintenanceMarginRate: "0.002", maxLeverage: 20 },
      { maxNotional: "1000000000", maintenanceMarginRate: "0.02", maxLeverage: 10 },
    ],
  });
}

type Own =
  | ("symbol" | "baseAsset" | "tickSize" | "stepSize" | "pricePrecision" | "quantityPrecision")
  | ("contractVal" | "minOrderSize" | "maxLeverage" | "impactNotional" | "tiers");

function listing(form: FixtureForm, own: Pick<CommandOf<"set-contract-market">, Own>): Listing {
  const rules: CommandOf<"set-contract-market"> = {
    ...{ type: "set-contract-market", actor: ACTOR, quoteAsset: ASSET, marginAsset: ASSET },
    ...{ maxOrderSize: "100000", maxPositionSize: "100000", marketOpenLimitSize: "100000" },
    ...{ minLeverage: 1, defaultLeverage: 20 },
    ...{ buyLimitPriceRatio: "0.05", sellLimitPriceRatio: "0.05" },
    makerFeeRate: form.takesFees ? "0.0002" : "0",
    takerFeeRate: form.takesFees ? "0.0006" : "0",
    // The fee for liquidations would hide what a rounding or a price gives away.
    liquidateFeeRate: form.takesFees ? "0.005" : "0",
    ...{ interestRate: "0.0001", fundingInnerClamp: "0.0005", fundingRateCap: "0.0075" },
    ...{ fundingBufferRate: "0.001", fundingIntervalMinutes: 480, indexStaleMs: 86_400_000 },
    ...{ maxOpenOrders: 200, state: "trading", insuranceSlippage: "0.002" },
    ...{ insuranceDrawLimit: form.hasBreaker ? "0.1" : null, indexStepLimit: "0.1" },
    ...own,
  };
  const [tier] = own.tiers;
  const price = own.symbol === "BTCUSDT" ? 60_000 : 3_000;
  const perUnit = Math.round(1 / Number(own.tickSize));
  return {
    symbol: own.symbol,
    indexTicks: price * perUnit,
    perUnit,
    perLot: Math.round(1 / Number(own.stepSize)),
    maxLeverage: own.maxLeverage,
    maintenanceE8: Number(tier?.maintenanceMarginRate) * 1e8 + (form.takesFees ? 60_000 : 0),
    rules,
  };
}
