/**
 * Proves the channels of every change of a book on a real process: the examples of
 * docs/reference/book-streams.md are what it sends (with RIALTO_WRITE_EXAMPLES=1 they are written
 * anew); over random orders of the client's own streams, each `lastUpdateId` that an order was
 * answered is one update, and what is kept is the book of REST; orders are shown in a sandbox only.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { RialtoClient, StreamBookOrders, StreamDepth } from "../../src/client/index.ts";
import { clientOf, openClientFixture, type Party } from "../support/client-fixture.ts";
import { listStandardContracts } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { listStandardMarkets } from "../support/exchange-setup.ts";
import { seededRandom } from "../support/random.ts";
import { checkExamples, STOP_CLOCK } from "../support/recorded-page.ts";
import { StreamClient } from "../support/stream-client.ts";

const random = seededRandom("conformance/book-streams");
const PAGE = "docs/reference/book-streams.md";
const TEST = "test/conformance/book-streams.test.ts";
const ORDERS = 150;
const symbol = "BTCUSDT";
const PUBLIC = "/v3/ws/public";

/** What both channels send of the same commands, as the page shows it. */
async function record(exchange: ExchangeProcess, seller: Party, buyer: Party): Promise<string> {
  const [maker, taker] = [clientOf(exchange, seller), clientOf(exchange, buyer)];
  const terms = { symbol, type: "LIMIT", price: "60000" } as const;
  await maker.spot.placeOrder({ ...terms, side: "SELL", quantity: "0.3", price: "60001" });
  const sockets = new Map<string, StreamClient>();
  for (const name of ["depth", "orders"]) {
    const socket = await StreamClient.open(exchange.port, PUBLIC);
    await socket.subscribe(`${symbol}@${name}`);
    await socket.until(() => socket.messages.length === 1, "a snapshot");
    sockets.set(name, socket);
  }
  let text = "";
  const show = async (title: string, version: number): Promise<void> => {
    text += `\n### ${title}\n\n\`\`\`text\n`;
    for (const [name, socket] of sockets) {
      await socket.until(() => socket.messages.at(-1)?.u === version, `version ${version}`);
      for (const message of socket.messages) {
        text += `${symbol}@${name}\n${JSON.stringify(message)}\n`;
      }
      socket.forget();
    }
    text += "```\n";
  };
  await show("The first messages", 1);
  const first = await maker.spot.placeOrder({ ...terms, side: "SELL", quantity: "0.5" });
  await show(`An order comes; it is answered \`"lastUpdateId":${first.lastUpdateId}\``, 2);
  const order = { ...terms, side: "BUY", quantity: "0.7" } as const;
  const { lastUpdateId } = await taker.spot.placeOrder({ ...order, price: "60001" });
  await show("An order takes two of them, one whole", lastUpdateId);
  const { orderId } = await maker.spot.placeOrder({ ...terms, side: "SELL", quantity: "0.2" });
  await show("Another one comes", lastUpdateId + 1);
  await maker.spot.amendOrder({ orderId, quantity: "0.1" });
  await show("It is amended to less quantity and keeps its place", lastUpdateId + 2);
  await maker.spot.amendOrder({ orderId, price: "60001" });
  await show("It is amended to another price", lastUpdateId + 4);
  const cancelled = await maker.spot.cancelOrder({ orderId });
  await show(
    `It is cancelled; that is answered \`"lastUpdateId":${cancelled.lastUpdateId}\``,
    lastUpdateId + 5,
  );
  for (const socket of sockets.values()) await socket.close();
  for (const client of [maker, taker]) client.close();
  return text;
}

/** Random orders of a client; returns what they were answered. */
async function trade({ spot }: RialtoClient): Promise<number[]> {
  const versions: number[] = [];
  const open: number[] = [];
  for (let i = 0; i < ORDERS; i++) {
    const orderId = open[random.integer(0, 2 * ORDERS)];
    if (orderId !== undefined && random.chance(0.5)) {
      open.splice(open.indexOf(orderId), 1);
      const cancelled = await spot.cancelOrder({ orderId }).catch(() => null);
      if (cancelled !== null) versions.push(cancelled.lastUpdateId);
      continue;
    }
    const side = random.pick(["BUY", "SELL"] as const);
    const away = random.integer(-3, 9) * (side === "BUY" ? -1 : 1);
    const price = String(59_990 + away);
    const quantity = `0.00${random.integer(1, 9)}`;
    const order = await spot.placeOrder({ symbol, side, type: "LIMIT", price, quantity });
    open.push(order.orderId);
    versions.push(order.lastUpdateId);
  }
  return versions;
}

/** Every event up to the version. */
async function eventsUpTo<Event extends { readonly lastUpdateId: number }>(
  events: AsyncIterable<Event>,
  version: number,
): Promise<Event[]> {
  const seen: Event[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.lastUpdateId >= version) break;
  }
  return seen;
}

type Sides = readonly (readonly (readonly [price: string, quantity: string])[])[];

/** The book by price, best first. */
function levelsOf(events: readonly StreamDepth[]): Sides {
  const [bids, asks] = [new Map<string, string>(), new Map<string, string>()];
  for (const event of events) {
    for (const [side, levels] of [
      [bids, event.bids],
      [asks, event.asks],
    ] as const) {
      for (const [price, quantity] of levels) {
        if (quantity === "0") side.delete(price);
        else side.set(price, quantity);
      }
    }
  }
  const sorted = (side: Map<string, string>, sign: number) =>
    [...side].sort(([one], [other]) => sign * (Number(one) - Number(other)));
  return [sorted(bids, -1), sorted(asks, 1)];
}

/** Open quantities by order id. */
function ordersOf(events: readonly StreamBookOrders[]): ReadonlyMap<number, string> {
  const orders = new Map<number, string>();
  for (const event of events) {
    if (event.isSnapshot) for (const { orderId, qty } of event.orders) orders.set(orderId, qty);
    else {
      for (const { change, orderId, qty } of event.changes) {
        if (change === "REMOVED") orders.delete(orderId);
        else orders.set(orderId, qty);
      }
    }
  }
  return orders;
}

async function keepBooks(t: TestContext, exchange: ExchangeProcess, party: Party): Promise<void> {
  const client = clientOf(exchange, party);
  const market = client.streams.spot();
  t.after(() => market.close());
  t.after(() => client.close());
  const [changes, orders] = [market.bookChanges(symbol), market.bookOrders(symbol)];
  await Promise.all([changes.ready, orders.ready]);
  const answered = await trade(client);
  const { lastUpdateId, bids, asks } = await client.spot.depth({ symbol, limit: 200 });
  const seen = await eventsUpTo(changes, lastUpdateId);
  const seenOrders = await eventsUpTo(orders, lastUpdateId);
  for (const events of [seen, seenOrders]) {
    const [snapshot, ...updates] = events;
    assert.ok(snapshot?.isSnapshot && updates.every(({ isSnapshot }) => !isSnapshot));
    updates.forEach(({ previousUpdateId }, i) => {
      assert.equal(previousUpdateId, events[i]?.lastUpdateId);
    });
    const versions = updates.map((event) => event.lastUpdateId);
    assert.deepEqual(versions, [...new Set(answered)], "an update for each answer");
  }
  assert.deepEqual(levelsOf(seen), [bids, asks]);
  const kept = ordersOf(seenOrders);
  const rest = (await client.spot.openOrders({ symbol })).map(
    ({ orderId, origQty, executedQty }) =>
      [orderId, String(Number((Number(origQty) - Number(executedQty)).toFixed(8)))] as const,
  );
  assert.ok(rest.length > 0);
  for (const [orderId, quantity] of rest) assert.equal(kept.get(orderId), quantity);
  t.diagnostic(`${seen.length} updates, ${kept.size} orders`);
}

test("every change of a book", async (t) => {
  const fixture = await openClientFixture({ env: { NODE_OPTIONS: STOP_CLOCK } });
  const { exchange, alice, bob } = fixture;
  t.after(() => exchange.stop());
  await t.test("the examples are what the exchange sends", async () => {
    checkExamples(PAGE, await record(exchange, alice, bob), TEST);
  });
  await t.test("each answer is an update, and what is kept is the book", (part) =>
    keepBooks(part, exchange, bob),
  );
});

test("outside a sandbox a book is shown by price, and its orders are not", async (t) => {
  const operatorToken = "t".repeat(64);
  const env = { RIALTO_OPERATOR_TOKEN: operatorToken };
  const exchange = await ExchangeProcess.start({ sandbox: false, env, operatorToken });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
  for (const prefix of ["", "/contract"]) {
    const socket = await StreamClient.open(exchange.port, `${prefix}${PUBLIC}`);
    assert.equal((await socket.subscribe(`${symbol}@depth`)).result, true);
    await socket.until(() => socket.of("depthSnapshot").length === 1, "a snapshot");
    const { result, msg } = await socket.subscribe(`${symbol}@orders`);
    const why = `${symbol}@orders is a channel of a sandbox: start the exchange with --sandbox`;
    assert.deepEqual([result, msg], [false, `INVALID_ARGUMENT: ${why}`]);
    await socket.close();
  }
});
