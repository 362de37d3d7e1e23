/**
 * Proves that a user's orders draw from the same pool, whichever way they come: random sequences
 * over HTTP and over WebSocket on a clock that stands still are admitted up to the published limit
 * together, and the next one is told to wait as long on either way.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { fakeGateway, send } from "../../../test/support/gateway.ts";
import { seededRandom } from "../../../test/support/random.ts";
import { KEY, serveTrading } from "../../../test/support/trading-server.ts";
import { logonParams, TradingSocket } from "../../../test/support/trading-socket.ts";
import { createRateLimits, openRateLimits } from "../http/rate-limit.ts";

const random = seededRandom("gateway/shared-limits");
const ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  price: "1",
  quantity: "1",
  newClientOrderId: "c-1",
};
/** A weight of 5 for each user, of 500 in 10 s. */
const ORDERS = 100;

test("orders over HTTP and over WebSocket share one pool", async (t) => {
  const limits = createRateLimits(Buffer.from("hash key"));
  const { app } = fakeGateway({}, limits);
  const server = await serveTrading(t, { limits: openRateLimits(limits.memory) });
  const client = await TradingSocket.open(server.port);
  await client.result("session.logon", logonParams(KEY, String(server.clock.wall)));
  const body = JSON.stringify(ORDER);
  const post = async (): Promise<number> => {
    const request = { method: "POST", url: "/api/v3/order", body } as const;
    return (await send(app, request)).statusCode;
  };
  const sent = { http: 0, socket: 0 };
  for (let i = 0; i < ORDERS; i++) {
    const way = random.pick(["http", "socket"] as const);
    sent[way]++;
    const status = way === "http" ? await post() : (await client.ask("order.place", ORDER)).status;
    assert.equal(status, 200, JSON.stringify(sent));
  }
  assert.ok(sent.http > 0 && sent.socket > 0);
  assert.equal(await post(), 429);
  const refused = await client.ask("order.place", ORDER);
  assert.deepEqual([refused.status, refused.error?.retryAfterMs], [429, 100]);
  assert.equal((await client.ask("order.cancel", { orderId: 7 })).status, 200, "another pool");
});
