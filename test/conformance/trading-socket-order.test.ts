/**
 * Proves that messages of one socket take effect in the order of their arrival: random sequences of
 * placements, cancels, amendments, batches and reads are sent by one user all at once, and by
 * another user one after the other; every answer is the same. The markets are each user's own, so
 * that nothing but the order of the messages can make a difference.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { BTC_CONTRACT, listContract, setIndex } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { BTCUSDT, listAssets, listMarket } from "../support/exchange-setup.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import { openTrader } from "../support/socket-accounts.ts";
import { type SocketAnswer, TradingSocket } from "../support/trading-socket.ts";

const random = seededRandom("conformance/trading-socket-order");
const ROUNDS = 12;
/** Fewer than may be unanswered on one socket. */
const MESSAGES = 200;
const IDS = Array.from({ length: 12 }, (_, index) => `id-${index}`);

type Message = readonly [method: string, params: object];

function limitOrder(dice: Random, round: number) {
  return {
    symbol: "MARKET",
    side: dice.pick(["BUY", "SELL"]),
    type: "LIMIT",
    timeInForce: dice.pick(["GTC", "GTC", "IOC", "POST_ONLY"]),
    price: dice.pick(["19999", "20000", "20001", "20002"]),
    quantity: dice.pick(["0.01", "0.02", "0.03"]),
    // Of orders that were placed in this round or not at all; a repeat with other terms is refused.
    newClientOrderId: `${round}-${dice.pick(IDS)}`,
  };
}

function spotMessage(dice: Random, round: number): Message {
  const origClientOrderId = `${round}-${dice.pick(IDS)}`;
  const price = dice.pick(["19998", "20000", "20003"]);
  switch (dice.integer(0, 9)) {
    case 0:
    case 1:
    case 2:
      return ["order.place", limitOrder(dice, round)];
    case 3:
      return ["orders.place", { orders: [limitOrder(dice, round), limitOrder(dice, round)] }];
    case 4:
      return ["order.cancel", { origClientOrderId }];
    case 5:
      return ["order.amend", { origClientOrderId, price }];
    case 6:
      return ["openOrders.status", { symbol: "MARKET" }];
    case 7:
      return ["openOrders.cancelAll", { symbol: "MARKET" }];
    case 8:
      return ["account.status", {}];
    default:
      return ["order.status", { origClientOrderId }];
  }
}

function contractMessage(dice: Random, round: number): Message {
  const [method, params] = spotMessage(dice, round);
  const placement = { ...params, positionSide: "LONG", side: "BUY" };
  switch (method) {
    case "order.place":
      return ["contract.order.place", placement];
    case "orders.place":
      return ["contract.orders.place", { batchOrders: [contractOrder(dice, round)] }];
    case "account.status":
      return ["contract.account.status", {}];
    default:
      return [`contract.${method}`, params];
  }
}

function contractOrder(dice: Random, round: number) {
  return { ...limitOrder(dice, round), positionSide: "LONG", side: "BUY" };
}

/** With the market of a user, in the place of the one that both sequences name. */
function withMarket([method, params]: Message, symbol: string): Message {
  const text = JSON.stringify(params).replaceAll("MARKET", symbol);
  return [method, JSON.parse(text) as object];
}

const TIMES = /"(transactTime|time|updateTime|uid)":\d+/g;

/** Without times, and with order ids by the order of their first appearance. */
class Comparable {
  readonly #symbol: string;
  readonly #numbers = new Map<string, string>();

  constructor(symbol: string) {
    this.#symbol = symbol;
  }

  text({ status, result, error }: SocketAnswer): string {
    return JSON.stringify({ status, result: this.#withoutNames(result), error })
      .replaceAll(this.#symbol, "MARKET")
      .replace(TIMES, '"$1":0')
      .replace(/"orderId":"?(\d+)"?/g, (_, id: string) => `"orderId":${this.#numberOf(id)}`);
  }

  /** An account's assets in an order of its own: the traded one, and the one that is not traded. */
  #withoutNames(result: unknown): unknown {
    const { balances } = (result ?? {}) as { readonly balances?: readonly { asset: string }[] };
    if (balances === undefined) return result;
    const roleOf = (asset: string): string => {
      if (asset === "USDT") return asset;
      return this.#symbol.startsWith(asset) ? "TRADED" : "UNTOUCHED";
    };
    const rows = balances.map((row) => ({ ...row, asset: roleOf(row.asset) }));
    rows.sort((one, other) => (one.asset < other.asset ? -1 : 1));
    return { ...(result as object), balances: rows };
  }

  #numberOf(id: string): string {
    if (id === "0") return id;
    const number = this.#numbers.get(id) ?? String(this.#numbers.size + 1);
    this.#numbers.set(id, number);
    return number;
  }
}

test("messages sent at once have the outcome of messages sent one by one", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listAssets(exchange);
  const symbols = ["BTCUSDT", "ETHUSDT"] as const;
  for (const symbol of symbols) {
    const baseAsset = symbol.slice(0, 3);
    await listMarket(exchange, symbol, { ...BTCUSDT, baseAsset, tickSize: "1" });
    await listContract(exchange, symbol, { ...BTC_CONTRACT, baseAsset });
    await setIndex(exchange, symbol, "20000");
  }
  const [together, oneByOne] = [await openTrader(exchange), await openTrader(exchange)];
  const kinds = new Map<string, number>();
  for (let round = 0; round < scaled(ROUNDS); round++) {
    const makeMessage = round % 2 === 0 ? spotMessage : contractMessage;
    const messages = Array.from({ length: MESSAGES }, () => makeMessage(random, round));
    const first = await TradingSocket.open(exchange.port, together.credentials);
    const second = await TradingSocket.open(exchange.port, oneByOne.credentials);
    const answers = await Promise.all(
      messages.map((message) => first.ask(...withMarket(message, symbols[0]))),
    );
    const [mine, theirs] = [new Comparable(symbols[0]), new Comparable(symbols[1])];
    for (const [index, message] of messages.entries()) {
      const answer = await second.ask(...withMarket(message, symbols[1]));
      const what = `round ${round}, message ${index}: ${JSON.stringify(message)}`;
      assert.equal(mine.text(answers[index] as SocketAnswer), theirs.text(answer), what);
      const kind = `${message[0]} ${answer.status}`;
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    }
    for (const [client, symbol] of [
      [first, symbols[0]],
      [second, symbols[1]],
    ] as const) {
      await client.result("openOrders.cancelAll", { symbol });
      await client.result("contract.openOrders.cancelAll", { symbol });
      await client.close();
    }
  }
  t.diagnostic([...kinds].map(([kind, count]) => `${kind}: ${count}`).join(", "));
  for (const method of ["order.place", "order.cancel", "order.amend", "order.status"]) {
    for (const name of [method, `contract.${method}`]) {
      assert.ok((kinds.get(`${name} 200`) ?? 0) > 0, `${name} never succeeded`);
    }
  }
});
