/**
 * The contract side of the demo: markets, funds and, once there is a price, the positions of the
 * two people's accounts. Like the other seeding it only adds what is missing.
 */
import { invariant } from "../domain/index.ts";
import {
  CONTRACT_PROTECTION_DEFAULTS,
  type Command,
  type CommandOf,
  type EngineClient,
} from "../protocol/index.ts";
import {
  CONTRACT_BOT_FUNDS,
  CONTRACT_TRADER_FUNDS,
  DEMO_CONTRACTS,
  DEMO_TRADER_UIDS,
  type DemoContract,
  INSURANCE_FUNDS,
  MAKER_UID,
  MARGIN_ASSET,
  TAKER_UID,
} from "./demo-profile.ts";
import { onGrid } from "./quotes.ts";
import { ACTOR, must } from "./seed-command.ts";

const FUNDING_INTERVAL_MINUTES = 480;
const INDEX_STALE_MS = 60_000;

/** Lists the contracts and funds the wallets; the users must be registered already. */
export async function seedContracts(engine: EngineClient): Promise<void> {
  const markets = await engine.query({ type: "contract-markets", symbol: null });
  invariant(markets.ok, "a starting engine answers");
  for (const contract of DEMO_CONTRACTS) {
    if (markets.value.some(({ symbol }) => symbol === contract.symbol)) continue;
    await must(engine, listing(contract));
  }
  for (const uid of DEMO_TRADER_UIDS) await depositToContract(engine, uid, CONTRACT_TRADER_FUNDS);
  for (const uid of [MAKER_UID, TAKER_UID]) {
    await depositToContract(engine, uid, CONTRACT_BOT_FUNDS);
  }
  await must(engine, {
    type: "deposit-insurance",
    actor: ACTOR,
    requestId: `demo-${MARGIN_ASSET}`,
    asset: MARGIN_ASSET,
    amount: INSURANCE_FUNDS,
  });
}

function listing(contract: DemoContract): CommandOf<"set-contract-market"> {
  const { symbol, baseAsset, tickSize, stepSize, pricePrecision, quantityPrecision } = contract;
  return {
    type: "set-contract-market",
    actor: ACTOR,
    symbol,
    baseAsset,
    quoteAsset: MARGIN_ASSET,
    marginAsset: MARGIN_ASSET,
    tickSize,
    stepSize,
    pricePrecision,
    quantityPrecision,
    // Quantities are in the base asset.
    contractVal: "1",
    minOrderSize: stepSize,
    maxOrderSize: contract.maxOrderSize,
    maxPositionSize: contract.maxPositionSize,
    marketOpenLimitSize: contract.maxOrderSize,
    minLeverage: 1,
    maxLeverage: 100,
    defaultLeverage: 20,
    buyLimitPriceRatio: "0.05",
    sellLimitPriceRatio: "0.05",
    makerFeeRate: "0.0002",
    takerFeeRate: "0.0008",
    liquidateFeeRate: "0.01",
    interestRate: "0.0001",
    fundingInnerClamp: "0.0005",
    fundingRateCap: "0.0075",
    fundingBufferRate: "0.001",
    impactNotional: "10000",
    fundingIntervalMinutes: FUNDING_INTERVAL_MINUTES,
    indexStaleMs: INDEX_STALE_MS,
    maxOpenOrders: 200,
    tiers: [
      { maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
      { maxNotional: "5000000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
      { maxNotional: "20000000", maintenanceMarginRate: "0.025", maxLeverage: 20 },
      { maxNotional: "100000000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
    ],
    state: "trading",
    ...CONTRACT_PROTECTION_DEFAULTS,
    insuranceDrawLimit: "0.1",
  };
}

/** The request id is that of the first start, so later starts repeat it without effect. */
export async function depositToContract(
  engine: EngineClient,
  uid: number,
  amount: string,
): Promise<void> {
  await must(engine, {
    type: "deposit-funds",
    actor: ACTOR,
    requestId: `demo-contract-${MARGIN_ASSET}`,
    uid,
    wallet: "contract",
    asset: MARGIN_ASSET,
    amount,
  });
}

/**
 * Gives each of the two people's accounts an isolated long position with a take-profit and a
 * stop-loss, a cross short position, and a resting order beside each. An account that traded or
 * moved funds is left alone, and what the market rejects is left out. The books must be quoted.
 */
export async function seedContractTrades(engine: EngineClient): Promise<void> {
  for (const { uid, contract, position, orders } of demoTrades()) {
    const mark = await markOf(engine, contract);
    if (mark === 0 || !(await isContractUntouched(engine, uid, CONTRACT_TRADER_FUNDS))) continue;
    await executeEach(engine, position(uid, contract, mark));
    await executeEach(engine, orders(uid, contract, mark));
  }
}

/** Only the positions, for the start of the demo's history. */
export async function seedContractPositions(engine: EngineClient): Promise<void> {
  for (const { uid, contract, position } of demoTrades()) {
    const mark = await markOf(engine, contract);
    if (mark === 0 || !(await isContractUntouched(engine, uid, CONTRACT_TRADER_FUNDS))) continue;
    await executeEach(engine, position(uid, contract, mark));
  }
}

/**
 * The orders beside the positions, around the current mark. Only valid before the accounts are in
 * use: it does not check what they did. When repeated, it finds its client order ids taken.
 */
export async function seedContractOrders(engine: EngineClient): Promise<void> {
  for (const { uid, contract, orders } of demoTrades()) {
    const mark = await markOf(engine, contract);
    if (mark > 0) await executeEach(engine, orders(uid, contract, mark));
  }
}

type Trades = (uid: number, contract: DemoContract, mark: number) => readonly Command[];

interface DemoTrades {
  readonly uid: number;
  readonly contract: DemoContract;
  readonly position: Trades;
  readonly orders: Trades;
}

function demoTrades(): readonly DemoTrades[] {
  const [longUid, shortUid] = DEMO_TRADER_UIDS;
  const [longContract, shortContract] = DEMO_CONTRACTS;
  invariant(longUid !== undefined && shortUid !== undefined, "the demo has two people");
  invariant(longContract !== undefined && shortContract !== undefined, "and two contracts");
  return [
    { uid: longUid, contract: longContract, position: longPosition, orders: longOrders },
    { uid: shortUid, contract: shortContract, position: shortPosition, orders: shortOrders },
  ];
}

/** 0 for none. */
async function markOf(engine: EngineClient, { symbol }: DemoContract): Promise<number> {
  const prices = await engine.query({ type: "contract-prices", symbol });
  return prices.ok ? Number(prices.value[0]?.markPrice ?? 0) : 0;
}

async function executeEach(engine: EngineClient, commands: readonly Command[]): Promise<void> {
  for (const command of commands) await engine.execute(command);
}

/** Whether the contract wallet still holds its deposit and nothing was traded. */
export async function isContractUntouched(
  engine: EngineClient,
  uid: number,
  funds: string,
): Promise<boolean> {
  const [balances, positions, orders] = await Promise.all([
    engine.query({ type: "contract-balances", uid }),
    engine.query({ type: "contract-positions", uid, symbol: null }),
    engine.query({ type: "contract-open-orders", uid, symbol: null }),
  ]);
  if (!balances.ok || !positions.ok || !orders.ok) return false;
  const wallet = balances.value.find(({ asset }) => asset === MARGIN_ASSET)?.balance;
  const isFull = wallet === funds;
  return isFull && positions.value.length === 0 && orders.value.length === 0;
}

const LEVERAGE = 20;
/** Quote value of the position opened at market price, and of the order beside it. */
const POSITION_NOTIONAL = 25_000;
const RESTING_NOTIONAL = 8_000;
/** Distances from the mark, as fractions of it. */
const TAKE_PROFIT_DISTANCE = 0.04;
const STOP_LOSS_DISTANCE = 0.03;
const RESTING_DISTANCE = 0.015;

function longPosition(uid: number, contract: DemoContract, mark: number): readonly Command[] {
  const { symbol, stepSize } = contract;
  const size = onGrid(POSITION_NOTIONAL / mark, stepSize);
  return [
    { type: "set-margin-type", uid, symbol, marginType: "ISOLATED", separatedType: null },
    {
      type: "set-leverage",
      uid,
      symbol,
      marginType: null,
      crossLeverage: null,
      isolatedLongLeverage: LEVERAGE,
      isolatedShortLeverage: LEVERAGE,
    },
    contractOrder(uid, symbol, "BUY", "LONG", size, null, "demo-long"),
  ];
}

function longOrders(uid: number, contract: DemoContract, mark: number): readonly Command[] {
  const { symbol, tickSize } = contract;
  return [
    tpSl(uid, symbol, "TAKE_PROFIT_MARKET", onGrid(mark * (1 + TAKE_PROFIT_DISTANCE), tickSize)),
    tpSl(uid, symbol, "STOP_MARKET", onGrid(mark * (1 - STOP_LOSS_DISTANCE), tickSize)),
    resting(uid, contract, mark * (1 - RESTING_DISTANCE), "BUY", "LONG"),
  ];
}

function shortPosition(uid: number, contract: DemoContract, mark: number): readonly Command[] {
  const size = onGrid(POSITION_NOTIONAL / mark, contract.stepSize);
  return [contractOrder(uid, contract.symbol, "SELL", "SHORT", size, null, "demo-short")];
}

function shortOrders(uid: number, contract: DemoContract, mark: number): readonly Command[] {
  return [resting(uid, contract, mark * (1 + RESTING_DISTANCE), "SELL", "SHORT")];
}

function resting(
  uid: number,
  { symbol, tickSize, stepSize }: DemoContract,
  price: number,
  side: "BUY" | "SELL",
  positionSide: "LONG" | "SHORT",
): CommandOf<"place-contract-order"> {
  const quantity = onGrid(RESTING_NOTIONAL / price, stepSize);
  const text = onGrid(price, tickSize);
  return contractOrder(uid, symbol, side, positionSide, quantity, text, "demo-resting");
}

/** Without a price: at market price. */
export function contractOrder(
  uid: number,
  symbol: string,
  side: "BUY" | "SELL",
  positionSide: "LONG" | "SHORT",
  quantity: string,
  price: string | null,
  clientOrderId: string,
): CommandOf<"place-contract-order"> {
  return {
    type: "place-contract-order",
    uid,
    symbol,
    side,
    positionSide,
    orderType: price === null ? "MARKET" : "LIMIT",
    timeInForce: price === null ? "IOC" : "GTC",
    price: price ?? "",
    quantity,
    clientOrderId,
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

/** For the whole long position, triggered by the mark. */
function tpSl(
  uid: number,
  symbol: string,
  orderType: "TAKE_PROFIT_MARKET" | "STOP_MARKET",
  triggerPrice: string,
): CommandOf<"place-algo-order"> {
  return {
    type: "place-algo-order",
    uid,
    symbol,
    side: "SELL",
    positionSide: "LONG",
    orderType,
    quantity: "",
    closePosition: true,
    isTpSl: true,
    triggerPrice,
    price: "",
    workingType: "MARK_PRICE",
    clientAlgoId: orderType === "STOP_MARKET" ? "demo-stop-loss" : "demo-take-profit",
    presetTakeProfitPrice: null,
    presetStopLossPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
    callbackRate: "",
    activationPrice: null,
  };
}
