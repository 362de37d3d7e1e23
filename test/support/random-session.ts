/**
 * Random actions of users and operators over HTTP, on spot and on contracts: orders of every kind,
 * cancels, settings, movements of funds, price changes. Many are rejected, as in real use.
 */
import { pinMark, setIndex } from "./contract-setup.ts";
import type { ExchangeProcess } from "./exchange-process.ts";
import type { Random } from "./random.ts";
import type { SignedClient } from "./signed-client.ts";

export interface Trader {
  readonly uid: number;
  readonly client: SignedClient;
}

type Act = (session: RandomSession, trader: Trader) => Promise<unknown>;

export class RandomSession {
  readonly random: Random;
  readonly exchange: ExchangeProcess;
  #numbers = 0;

  constructor(random: Random, exchange: ExchangeProcess) {
    this.random = random;
    this.exchange = exchange;
  }

  get nextId(): string {
    this.#numbers++;
    return `s-${this.#numbers}`;
  }

  /** The client order id of an order that there may have been. */
  get someId(): string {
    return `s-${this.random.integer(Math.max(1, this.#numbers - 60), this.#numbers + 1)}`;
  }

  async run(
    acts: readonly (readonly [weight: number, act: Act])[],
    traders: readonly Trader[],
    count: number,
  ): Promise<void> {
    const total = acts.reduce((sum, [weight]) => sum + weight, 0);
    for (let done = 0; done < count; done++) {
      let at = this.random.next() * total;
      const chosen = acts.find(([weight]) => {
        at -= weight;
        return at < 0;
      });
      await chosen?.[1](this, this.random.pick(traders));
    }
  }
}

const MARKETS = { BTCUSDT: 50_000, ETHUSDT: 2_500 } as const;

function spotMarket({ random }: RandomSession): readonly [symbol: string, price: number] {
  return random.pick(Object.entries(MARKETS)) as [string, number];
}

const spotLimit: Act = (session, { client }) => {
  const { random } = session;
  const [symbol, middle] = spotMarket(session);
  return client.post("/api/v3/order", {
    symbol,
    side: random.pick(["BUY", "SELL"]),
    type: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"]),
    price: (middle * (1 + random.integer(-10, 10) / 10_000)).toFixed(1),
    quantity: String(random.integer(1, 90) / 1000),
    newClientOrderId: session.nextId,
  });
};

const spotMarketOrder: Act = (session, { client }) => {
  const { random } = session;
  const [symbol, middle] = spotMarket(session);
  const side = random.pick(["buy", "sell"] as const);
  // In v2 a market buy spends a quote amount.
  const quantity = random.integer(1, 90) / 1000;
  return client.place({
    symbol,
    side,
    orderType: "market",
    force: "normal",
    quantity: side === "buy" ? (quantity * middle).toFixed(2) : String(quantity),
    clientOrderId: session.nextId,
  });
};

const spotCancel: Act = (session, { client }) => {
  const [symbol] = spotMarket(session);
  return client.cancel({ symbol, clientOid: session.someId });
};

const spotCancelAll: Act = (session, { client }) => {
  const [symbol] = spotMarket(session);
  return client.delete("/api/v3/openOrders", { symbol });
};

const spotAmend: Act = (session, { client }) => {
  const { random, someId } = session;
  const [, middle] = spotMarket(session);
  const price = (middle * (1 + random.integer(-10, 10) / 10_000)).toFixed(1);
  return client.put("/api/v3/order", {
    origClientOrderId: someId,
    ...(random.chance(0.5) ? { price } : {}),
    quantity: String(random.integer(1, 90) / 1000),
  });
};

const spotMoney: Act = (session, { uid }) => {
  const { random, exchange } = session;
  const kind = random.pick(["deposits", "withdrawals"]);
  const body = { id: session.nextId, account: "spot", asset: "USDT", amount: "12.5" };
  return exchange.operator.call("POST", `/operator/v1/users/${uid}/${kind}`, body);
};

const spotRates: Act = ({ random, exchange }, { uid }) => {
  const makerFeeRate = String(random.integer(0, 20) / 10_000);
  const body = { product: "spot", symbol: "BTCUSDT", makerFeeRate, takerFeeRate: "0.002" };
  return exchange.operator.call("PUT", `/operator/v1/users/${uid}/fee-rates`, body);
};

export const SPOT_ACTS = [
  [60, spotLimit],
  [15, spotMarketOrder],
  [20, spotCancel],
  [20, spotAmend],
  [2, spotCancelAll],
  [2, spotMoney],
  [1, spotRates],
] as const;

const SYMBOL = "BTCUSDT";
const MIDDLE = 60_000;

const contractOrder: Act = (session, { client }) => {
  const { random } = session;
  const isMarket = random.chance(0.15);
  const attached = random.chance(0.1)
    ? { tpTriggerPrice: String(MIDDLE + 90), slTriggerPrice: String(MIDDLE - 90) }
    : {};
  return client.post("/capi/v3/order", {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    positionSide: random.pick(["LONG", "SHORT"]),
    quantity: String(random.integer(1, 90) / 1000),
    newClientOrderId: session.nextId,
    ...(isMarket
      ? { type: "MARKET" }
      : {
          type: "LIMIT",
          timeInForce: random.pick(["GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"]),
          price: String(MIDDLE + random.integer(-40, 40)),
          ...attached,
        }),
  });
};

const contractCancel: Act = (session, { client }) => {
  const { random, someId } = session;
  if (random.chance(0.1)) return client.delete("/capi/v3/allOpenOrders", { symbol: SYMBOL });
  return client.delete("/capi/v3/order", { origClientOrderId: someId });
};

const contractAmend: Act = ({ random, someId }, { client }) =>
  client.put("/capi/v3/order", {
    origClientOrderId: someId,
    ...(random.chance(0.5) ? { price: String(MIDDLE + random.integer(-20, 20)) } : {}),
    quantity: String(random.integer(1, 90) / 1000),
  });

const algoOrder: Act = (session, { client }) => {
  const { random } = session;
  const type = random.pick(["STOP", "STOP_MARKET", "TAKE_PROFIT", "TAKE_PROFIT_MARKET"] as const);
  const side = random.pick(["BUY", "SELL"] as const);
  const isUp = (side === "BUY") === type.startsWith("STOP");
  const away = random.integer(5, 60) * (isUp ? 1 : -1);
  return client.post("/capi/v3/algoOrder", {
    symbol: SYMBOL,
    side,
    positionSide: random.pick(["LONG", "SHORT"]),
    type,
    quantity: String(random.integer(1, 40) / 1000),
    triggerPrice: String(MIDDLE + away),
    ...(type.endsWith("MARKET") ? {} : { price: String(MIDDLE + away) }),
    clientAlgoId: session.nextId,
  });
};

const positionExit: Act = (session, { client }) => {
  const { random } = session;
  const planType = random.pick(["TAKE_PROFIT", "STOP_LOSS"]);
  const away = planType === "TAKE_PROFIT" ? 40 : -40;
  return client.post("/capi/v3/placeTpSlOrder", {
    symbol: SYMBOL,
    clientAlgoId: session.nextId,
    planType,
    triggerPrice: String(MIDDLE + away),
    positionSide: "LONG",
  });
};

const cancelAlgos: Act = (_, { client }) =>
  client.delete("/capi/v3/algoOpenOrders", { symbol: SYMBOL });

const closePositions: Act = (_, { client }) =>
  client.post("/capi/v3/closePositions", { symbol: SYMBOL });

const settings: Act = ({ random }, { client }) => {
  const crossLeverage = random.integer(5, 50);
  return random.chance(0.7)
    ? client.post("/capi/v3/account/leverage", { symbol: SYMBOL, crossLeverage })
    : client.post("/capi/v3/account/marginType", {
        symbol: SYMBOL,
        marginType: random.pick(["CROSSED", "ISOLATED"]),
        separatedType: random.pick(["COMBINED", "SEPARATED"]),
      });
};

const contractMoney: Act = (session, { uid }) => {
  const { random, exchange } = session;
  const kind = random.pick(["deposits", "withdrawals"]);
  const body = { id: session.nextId, account: "contract", asset: "USDT", amount: "12.5" };
  return exchange.operator.call("POST", `/operator/v1/users/${uid}/${kind}`, body);
};

const contractRates: Act = ({ random, exchange }, { uid }) => {
  const makerFeeRate = String(random.integer(0, 5) / 10_000);
  const body = { product: "contract", symbol: SYMBOL, makerFeeRate, takerFeeRate: "0.0007" };
  return exchange.operator.call("PUT", `/operator/v1/users/${uid}/fee-rates`, body);
};

const prices: Act = async ({ random, exchange }) => {
  const price = String(MIDDLE + random.integer(-60, 60));
  if (random.chance(0.5)) await setIndex(exchange, SYMBOL, price);
  else await pinMark(exchange, SYMBOL, random.chance(0.2) ? null : price);
};

export const CONTRACT_ACTS = [
  [60, contractOrder],
  [12, contractCancel],
  [15, contractAmend],
  [10, algoOrder],
  [4, positionExit],
  [1, cancelAlgos],
  [2, closePositions],
  [3, settings],
  [1, contractMoney],
  [1, contractRates],
  [6, prices],
] as const;
