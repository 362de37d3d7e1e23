/**
 * Proves the client's WebSocket transport against a running exchange: the same methods give the
 * same answers and the same errors as over HTTP; a lost answer, a broken connection and a restarted
 * exchange are one order at most; what could happen twice is left to the caller; and clocks, keys
 * and aborts are what they are over HTTP.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  NetworkError,
  RialtoClient,
  type RialtoClientOptions,
  RialtoError,
  SYSTEM_RUNTIME,
} from "../../src/client/index.ts";
import {
  type ClientFixture,
  clientOf,
  openClientFixture,
  type Party,
} from "../support/client-fixture.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const symbol = "BTCUSDT";
const ORDER = { symbol, side: "BUY", type: "LIMIT", quantity: "0.1", price: "50000" } as const;
const CONTRACT_ORDER = { ...ORDER, positionSide: "LONG", timeInForce: "GTC" } as const;

let fixture: ClientFixture;
before(async () => {
  fixture = await openClientFixture();
});
after(() => fixture.exchange.stop());

interface Place {
  readonly baseUrl: string;
}

/** A `WebSocket` whose handshakes and messages are counted. */
class CountedSocket extends WebSocket {
  static opened = 0;
  static sent: string[] = [];

  constructor(url: string | URL) {
    super(url);
    CountedSocket.opened++;
  }

  override send(data: string): void {
    CountedSocket.sent.push(data);
    super.send(data);
  }
}

function open(
  party: Party = fixture.alice,
  place: Place = fixture.exchange,
  more: RialtoClientOptions = {},
) {
  CountedSocket.opened = 0;
  CountedSocket.sent = [];
  const transport = "websocket";
  return clientOf(place, party, { transport, webSocket: CountedSocket, ...more });
}

const methodsSent = () =>
  CountedSocket.sent.map((text) => (JSON.parse(text) as { method: string }).method);

test("trading calls go over one connection, all others over HTTP", async () => {
  const client = open();
  const { spot, contract } = client;
  const { orderId } = await spot.placeOrder(ORDER);
  await spot.testOrder(ORDER);
  await spot.amendOrder({ orderId, quantity: "0.2" });
  assert.equal((await spot.order({ orderId })).origQty, "0.2");
  assert.equal((await spot.openOrders({ symbol })).length, 1);
  await spot.cancelOrder({ orderId });
  await spot.cancelAllAfter({ countdownMs: 60_000, symbol });
  assert.equal((await spot.account()).uid, fixture.alice.uid);
  const placed = await contract.placeOrder(CONTRACT_ORDER);
  const { orderId: contractId } = placed;
  assert.equal((await contract.order({ orderId: contractId })).clientOrderId, placed.clientOrderId);
  const own = { origClientOrderId: placed.clientOrderId };
  assert.equal(String((await contract.order(own)).orderId), contractId);
  assert.equal((await contract.openOrders({ symbol, limit: 10 })).length, 1);
  await contract.cancelAllOrders();
  assert.equal((await contract.balance()).length, 1);
  assert.equal((await contract.openOrders()).length, 0);
  const before = methodsSent();
  await spot.depth({ symbol });
  await spot.allOrders({ symbol });
  await contract.positions();
  assert.deepEqual(methodsSent(), before);
  assert.equal(CountedSocket.opened, 1);
  assert.equal(before.filter((method) => method === "session.logon").length, 1);
  client.close();
});

test("a spot batch says of each order whether it was accepted", async () => {
  const client = open();
  const rows = await client.spot.placeOrders([ORDER, { ...ORDER, price: "50000.001" }]);
  assert.equal(rows.length, 2);
  assert.ok("orderId" in (rows[0] ?? {}));
  assert.equal((rows[1] as { code: number }).code, -1160);
  await client.spot.cancelOpenOrders({ symbol });
  client.close();
  const overHttp = clientOf(fixture.exchange, fixture.alice);
  await assert.rejects(overHttp.spot.placeOrders([ORDER]), TypeError);
});

test("errors are those of HTTP", async () => {
  const [socket, http] = [open(), clientOf(fixture.exchange, fixture.alice)];
  const failures: readonly ((client: RialtoClient) => Promise<unknown>)[] = [
    ({ spot }) => spot.placeOrder({ ...ORDER, price: "50000.001" }),
    ({ spot }) => spot.placeOrder({ ...ORDER, symbol: "NONE" }),
    ({ spot }) => spot.order({ orderId: 987_654_321 }),
    ({ spot }) => spot.cancelOrder({}),
    ({ contract }) => contract.placeOrder({ ...CONTRACT_ORDER, quantity: "100000" }),
    ({ contract }) => contract.order({ origClientOrderId: "none" }),
  ];
  for (const fail of failures) {
    const seen = async (client: RialtoClient): Promise<object> => {
      const error = await fail(client).then(
        () => assert.fail("accepted"),
        (failure: unknown) => failure,
      );
      assert.ok(error instanceof RialtoError, String(error));
      return { ...error, message: error.message };
    };
    assert.deepEqual(await seen(socket), await seen(http));
  }
  socket.close();
});

test("calls that are made together are carried out in their order", async () => {
  const client = open();
  const ids = Array.from({ length: 600 }, (_, index) => `together-${index}`);
  const calls = ids.flatMap((newClientOrderId) => [
    client.spot.placeOrder({ ...ORDER, newClientOrderId }),
    client.spot.cancelOrder({ origClientOrderId: newClientOrderId }),
  ]);
  await Promise.all(calls);
  assert.deepEqual(await client.spot.openOrders(), []);
  assert.equal(CountedSocket.opened, 1);
  client.close();
});

test("a lost answer is one order, and what could happen twice is not repeated", async (t) => {
  const proxy = await TcpProxy.open(fixture.exchange.port);
  t.after(() => proxy.close());
  const client = open(fixture.bob, proxy);
  const { spot } = client;
  await spot.openOrders();
  for (const lost of [1, 2]) {
    proxy.answersToLose = lost;
    const placed = await spot.placeOrder(ORDER);
    assert.equal(proxy.answersToLose, 0);
    const orders = await spot.openOrders({ symbol });
    assert.deepEqual(
      orders.map(({ orderId }) => orderId),
      [placed.orderId],
    );
    await spot.cancelOrder({ orderId: placed.orderId });
  }
  const { orderId } = await spot.placeOrder(ORDER);
  proxy.answersToLose = 1;
  await assert.rejects(spot.cancelOpenOrders({ symbol }), NetworkError);
  assert.equal((await spot.order({ orderId })).status, "CANCELED");
  client.close();
});

test("a restarted exchange is found again, with a new logon", async (t) => {
  const other = await openClientFixture();
  t.after(() => other.exchange.stop());
  const proxy = await TcpProxy.open(other.exchange.port);
  t.after(() => proxy.close());
  const client = open(other.alice, proxy, { attempts: 20 });
  const order = { ...ORDER, newClientOrderId: "before-the-crash" };
  const placed = await client.spot.placeOrder(order);
  await other.exchange.kill("SIGKILL");
  const again = client.spot.placeOrder(order);
  // It was not sent, so that even this may be tried again.
  const cancelled = client.spot.cancelOpenOrders({ symbol: "ETHUSDT" }).catch((error) => error);
  await other.exchange.restart();
  proxy.target = other.exchange.port;
  assert.deepEqual(await again, placed);
  await cancelled;
  client.close();
});

test("a clock that is wrong either way is corrected before the logon", async () => {
  for (const aheadMs of [-3_600_000, 3_600_000]) {
    const runtime = { ...SYSTEM_RUNTIME, nowMs: () => Date.now() + aheadMs };
    const client = open(fixture.alice, fixture.exchange, { runtime });
    assert.equal((await client.spot.account()).uid, fixture.alice.uid);
    assert.ok(Math.abs(client.timeOffsetMs + aheadMs) < 30_000);
    client.close();
  }
});

test("clients that are opened while the clock stands still all log on", async () => {
  const nowMs = Date.now();
  const runtime = { ...SYSTEM_RUNTIME, nowMs: () => nowMs };
  for (let i = 0; i < 6; i++) {
    const client = open(fixture.alice, fixture.exchange, { runtime });
    assert.equal((await client.spot.account()).uid, fixture.alice.uid);
    client.close();
  }
});

test("a key that is wrong, or none, is an error of the call", async () => {
  const wrong = { ...fixture.alice, credentials: { ...fixture.alice.credentials, secret: "no" } };
  const client = open(wrong);
  const refused = ({ code, status }: RialtoError) => code === -1047 && status === 401;
  await assert.rejects(client.spot.placeOrder(ORDER), refused);
  await assert.rejects(client.spot.openOrders(), refused);
  client.close();
  const anonymous = new RialtoClient({
    baseUrl: fixture.exchange.baseUrl,
    transport: "websocket",
  });
  assert.ok((await anonymous.spot.serverTime()).serverTime > 0);
  await assert.rejects(anonymous.spot.openOrders(), TypeError);
  anonymous.close();
});

test("an aborted call rejects with its reason, and the connection stays", async () => {
  const client = open();
  await client.spot.openOrders();
  const abort = new AbortController();
  const call = client.spot.openOrders({}, { signal: abort.signal });
  abort.abort(new Error("enough"));
  await assert.rejects(call, /enough/);
  await assert.rejects(client.spot.openOrders({}, { signal: abort.signal }), /enough/);
  await client.spot.openOrders();
  assert.equal(CountedSocket.opened, 1);
  client.close();
});
