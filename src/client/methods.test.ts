/**
 * Proves that the client has the calls that the exchange serves: every method sends a query or a
 * body where its route takes one, and every call has a method, except other forms of the same call.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { CALLS } from "../api/calls.ts";
import { ROUTES } from "../api/routes.ts";
import { AffiliateClient } from "./affiliate.ts";
import type { ApiCalls } from "./api-calls.ts";
import { ContractClient } from "./contract.ts";
import type { Sent } from "./http-calls.ts";
import { SYSTEM_RUNTIME } from "./runtime.ts";
import { SpotClient } from "./spot.ts";
import { SpotV2Client } from "./spot-v2.ts";

/** The v2 calls that the client has; the others return in envelopes what v3 returns without. */
const V2_CALLS = ["v2-ticker", "v2-account-assets", "v2-place-order", "v2-cancel-order"];
/** Another spelling of a call that the client has, for older clients. */
const SPELLINGS = /^(contract-demo-|v3-sub-affiliates-by-get$)/;

/** What each method sends, by the id of its call. */
function sentByMethods(): Map<string, Sent> {
  const sent = new Map<string, Sent>();
  const record = (id: string, content: Sent) => sent.set(id, content);
  // The spot batch is a method of the WebSocket, which is no route.
  const placeSpotOrders = () => undefined;
  const connected = { call: record, text: record, placeSpotOrders, runtime: SYSTEM_RUNTIME };
  const calls = connected as unknown as ApiCalls;
  for (const Client of [SpotClient, SpotV2Client, ContractClient, AffiliateClient]) {
    for (const [name, method] of Object.entries(new Client(calls))) {
      // A list, because one of them takes orders.
      if (name !== "verifyStatement") (method as (input: object) => unknown)([]);
    }
  }
  return sent;
}

test("methods send what their routes take", () => {
  for (const [id, { query, body }] of sentByMethods()) {
    const route = ROUTES.find((candidate) => candidate.id === id);
    assert.equal(body !== undefined, route?.body !== undefined, `${id}: body`);
    assert.equal(query !== undefined, route?.query !== undefined, `${id}: query`);
  }
});

test("every call has a method, or another call that says the same", () => {
  const expected = Object.entries(CALLS).filter(([id, { family }]) => {
    return !SPELLINGS.test(id) && (family !== "v2" || V2_CALLS.includes(id));
  });
  assert.deepEqual([...sentByMethods().keys()].sort(), expected.map(([id]) => id).sort());
});
