/**
 * Proves what the id of a request depends on: the key and what is signed, in every part of it, and
 * nothing else, such as how headers are written or which process is asked; and that it can be a
 * client order id. A pinned id shows that another release draws the same one, so that a request
 * that was sent to the one before is still the same request.
 */
import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import test from "node:test";
import {
  type FakeGateway,
  fakeGateway,
  keyRecord,
  type RequestToSign,
  send,
  WALL_MS,
} from "../../../test/support/gateway.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { CLIENT_ORDER_ID_PATTERN } from "../../domain/index.ts";
import { requestIdOf } from "./request-id.ts";

const random = seededRandom("request-id");
const OTHER_KEY = "weex_fedcba9876543210fedcba9876543210";
const OTHER_SECRET = "another-secret-of-the-test";
const TIMESTAMP_SPREAD_MS = 25_000;

/** The client order id under which an order of version 3 without one reaches the engine. */
async function idOf(
  { app, engine }: FakeGateway,
  request: RequestToSign,
  change: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await send(app, request, change);
  assert.equal(answer.statusCode, 200, answer.body);
  const command = engine.commands.at(-1);
  assert.ok(command?.type === "place-spot-order");
  return command.clientOrderId;
}

function gateway(): FakeGateway {
  const fake = fakeGateway();
  const secret = createSecretKey(Buffer.from(OTHER_SECRET));
  fake.keys.set(OTHER_KEY, keyRecord({ apiKey: OTHER_KEY, secret }));
  return fake;
}

function order(change: object = {}): string {
  const terms = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", quantity: "1", price: "60000" };
  return JSON.stringify({ ...terms, ...change });
}

const REQUEST: RequestToSign = { method: "POST", url: "/api/v3/order", body: order() };

test("requests that differ in anything that is signed have different ids", async () => {
  const fake = gateway();
  const ids = new Map<string, string>();
  for (let i = 0; i < scaled(3_000); i++) {
    const price = String(random.integer(1, 60));
    const body = random.chance(0.1) ? `${order({ price })} ` : order({ price });
    const url = random.chance(0.1) ? "/api/v3/order?x=1" : "/api/v3/order";
    const timestampMs = WALL_MS + random.integer(-TIMESTAMP_SPREAD_MS, TIMESTAMP_SPREAD_MS);
    const isOther = random.chance(0.5);
    const secret = isOther ? { secret: OTHER_SECRET } : {};
    const key = isOther ? { "access-key": OTHER_KEY } : {};
    const id = await idOf(fake, { method: "POST", url, body, timestampMs, ...secret }, key);
    const signed = `${isOther} ${timestampMs} ${url} ${body}`;
    assert.equal(ids.get(signed) ?? id, id);
    ids.set(signed, id);
  }
  assert.equal(new Set(ids.values()).size, ids.size);
});

test("how headers are written, and which process is asked, makes no difference", async () => {
  const ids = new Set<string>();
  for (const change of [
    {},
    { "Content-Type": "application/json; charset=utf-8" },
    { locale: "x" },
  ]) {
    ids.add(await idOf(gateway(), REQUEST, change));
    ids.add(await idOf(fakeGateway(), REQUEST, change));
  }
  assert.equal(ids.size, 1);
  for (const id of ids) assert.match(id, new RegExp(CLIENT_ORDER_ID_PATTERN));
});

test("an id is drawn as it always was", () => {
  const caller = { uid: 9, apiKey: OTHER_KEY, permissions: [] };
  const signature = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=";
  assert.equal(requestIdOf({ caller, signature }), "9af9257c495a5ae6e3c82c8511aaaead90d1");
  // It does not depend on the user, whose number says nothing that the key does not say.
  assert.equal(
    requestIdOf({ caller: { ...caller, uid: 10 }, signature }),
    "9af9257c495a5ae6e3c82c8511aaaead90d1",
  );
});
