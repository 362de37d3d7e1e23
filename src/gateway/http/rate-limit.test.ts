/**
 * Goal: the shared limits of several gateways are those of maps in one thread, and what surrounds
 * them: pools taken both or none, failures apart, the answers of a refusal.
 * Method: random requests to gateways on one memory, compared with the maps call by call. Threads
 * are in rate-limit-threads.test.ts, the buckets themselves in src/limits.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { fakeGateway, placeOrderRequest, send, WALL_MS } from "../../../test/support/gateway.ts";
import { createMapLimits } from "../../../test/support/map-limits.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { tickerRoute } from "../../api/v2/market.ts";
import { cancelOrderRoute, placeOrderRoute } from "../../api/v2/trade.ts";
import { createRateLimits, openRateLimits, POOL_WEIGHT, type RouteLimits } from "./rate-limit.ts";

const random = seededRandom("rate-limit");

const ROUTES = [
  placeOrderRoute,
  cancelOrderRoute,
  tickerRoute,
  { id: "batch", limit: { kind: "weight", ip: 0, uid: 10 }, access: { anyOf: ["spot"] } },
  { id: "/page", limit: { kind: "weight", ip: 25, uid: 0 }, access: null },
  {
    id: "v3-order",
    limit: { kind: "weight", ip: 2, uid: 5 },
    access: { anyOf: ["spot"] },
    countsAsOrder: true,
  },
] as const;

test("shared limits answer as maps in one thread do, whichever gateway is asked", () => {
  let admitted = 0;
  let refused = 0;
  for (let round = 0; round < scaled(20); round++) {
    const first = createRateLimits(Buffer.from("hash key"));
    const gateways = [first, openRateLimits(first.memory), openRateLimits(first.memory)];
    const routes = gateways.map((limits) => ROUTES.map((route) => limits.forRoute(route)));
    const map = createMapLimits();
    const mapRoutes = ROUTES.map((route) => map.forRoute(route));
    let nowMs = random.integer(1, 100_000) + random.next();
    let latestMs = 0;
    const paceMs = random.pick([1, 3, 20]);
    for (let step = 0; step < 2_000; step++) {
      nowMs += random.chance(0.5) ? 0 : random.next() * paceMs * random.pick([0, 1, 10]);
      // Another thread may have named a later time. The maps live in one, where time goes on.
      const callerMs = random.chance(0.8) ? nowMs : nowMs - random.next() * 50;
      latestMs = Math.max(latestMs, callerMs);
      const gateway = random.integer(0, gateways.length - 1);
      const route = random.integer(0, ROUTES.length - 1);
      const shared = routes[gateway]?.[route] as RouteLimits;
      const oracle = mapRoutes[route] as RouteLimits;
      const address = `192.0.2.${random.integer(1, 3)}`;
      const uid = random.integer(1, 4);
      const at = `round ${round}, step ${step}, ${ROUTES[route]?.id}`;
      const failure = gateways[gateway]?.takeFailure(address, callerMs);
      assert.equal(failure, map.takeFailure(address, latestMs), at);
      const wait = shared.takeAddress(address, callerMs);
      assert.equal(wait, oracle.takeAddress(address, latestMs), at);
      const userWait = shared.takeUser(address, uid, callerMs);
      assert.equal(userWait, oracle.takeUser(address, uid, latestMs), at);
      const used = shared.usedWeight(address, uid, latestMs);
      assert.equal(used, oracle.usedWeight(address, uid, latestMs), at);
      assert.equal(shared.orderCount(uid, latestMs), oracle.orderCount(uid, latestMs), at);
      if (wait + userWait === 0) admitted++;
      else refused++;
    }
  }
  console.log(`# rate limits: ${admitted} requests admitted, ${refused} refused`);
  assert.ok(admitted > 1_000 && refused > 1_000);
});

test("weights are taken from both pools or from none", () => {
  const limits = createRateLimits(Buffer.from("hash key")).forRoute(cancelOrderRoute);
  let taken = 0;
  while (limits.takeUser("192.0.2.1", 1, 1_000) === 0) taken++;
  assert.equal(taken, Math.floor(POOL_WEIGHT / 3));
  // User 1 is at its limit and takes nothing of the address pool any more.
  for (let i = 0; i < 100; i++) assert.ok(limits.takeUser("192.0.2.1", 1, 1_000) > 0);
  let others = 0;
  while (limits.takeUser("192.0.2.1", 2, 1_000) === 0) others++;
  assert.equal(taken + others, POOL_WEIGHT / 2, "the address pool of weight 2 is spent");
  assert.equal(limits.takeUser("192.0.2.2", 2, 1_000), 0, "another address, the same user");
  assert.ok(limits.takeAddress("192.0.2.1", 1_000) > 0);
  assert.equal(limits.takeAddress("192.0.2.1", 1_040), 0, "two tokens of 20 ms later");
});

test("a signed rate counts users, a public rate counts addresses", () => {
  const limits = createRateLimits(Buffer.from("hash key"));
  const signed = limits.forRoute(placeOrderRoute);
  for (let i = 0; i < 10; i++) assert.equal(signed.takeUser("a", 1, 1_000), 0);
  assert.equal(signed.orderCount(1, 1_000), 10);
  assert.equal(signed.takeUser("b", 1, 1_000), 100);
  assert.equal(signed.takeUser("a", 2, 1_000), 0);
  assert.equal(signed.takeUser("b", 1, 1_100), 0);
  assert.equal(signed.orderCount(1, 2_000), 0);
  const open = limits.forRoute(tickerRoute);
  for (let i = 0; i < 20; i++) assert.equal(open.takeAddress("a", 1_000), 0);
  assert.equal(open.takeAddress("a", 1_000), 50);
  assert.equal(open.takeAddress("b", 1_000), 0);
});

test("the eleventh order of a second is 429 with the headers and body of v2", async () => {
  const { app, engine, clock } = fakeGateway({ rateLimits: "standard" });
  for (let i = 1; i <= 10; i++) {
    const response = await send(app, placeOrderRequest());
    assert.equal(response.statusCode, 200);
    assert.equal(response.headers["x-used-weight-10s"], String(i));
    assert.equal(response.headers["x-order-count-1s"], String(i));
    assert.equal(response.headers["retry-after"], undefined, "nothing to wait for");
  }
  const response = await send(app, placeOrderRequest());
  assert.equal(response.statusCode, 429);
  const { requestTime, ...rest } = response.json();
  assert.equal(typeof requestTime, "number");
  assert.deepEqual(rest, { code: "429", msg: "Too many requests", data: null });
  assert.equal(response.headers["retry-after"], "1");
  assert.equal(response.headers["x-used-weight-10s"], "10");
  assert.equal(engine.commands.length, 10);
  clock.monotonic += 100;
  assert.equal((await send(app, placeOrderRequest())).statusCode, 200);
});

test("failed authentication has a pool of its own", async () => {
  const { app } = fakeGateway({ rateLimits: "standard" });
  const statuses = { 400: 0, 429: 0 };
  for (let i = 0; i < POOL_WEIGHT + 5; i++) {
    const response = await send(app, placeOrderRequest(), { "access-sign": "wrong" });
    statuses[response.statusCode as 400 | 429]++;
  }
  assert.deepEqual(statuses, { 400: POOL_WEIGHT, 429: 5 });
  const response = await send(app, placeOrderRequest());
  assert.equal(response.statusCode, 200, "the right signature still passes");
});

test("v3 says -1003, and off means off", async () => {
  const limited = fakeGateway({ rateLimits: "standard" });
  const off = fakeGateway({ rateLimits: "off" });
  let last = await limited.app.inject({ url: "/api/v3/ping" });
  for (let i = 0; i < POOL_WEIGHT; i++) {
    last = await limited.app.inject({ url: "/api/v3/ping" });
    assert.equal((await off.app.inject({ url: "/api/v3/ping" })).statusCode, 200);
  }
  assert.equal(last.statusCode, 429);
  assert.deepEqual(last.json(), { code: -1003, msg: "Too many requests" });
  assert.equal(limited.clock.wall, WALL_MS, "limits count on the monotonic clock alone");
});
