/**
 * Proves that a user cannot send more orders by using several nodes, that what one node admits
 * counts at the others once they are told, and that a request counts once.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { Route } from "../../api/route.ts";
import { createRateLimits } from "../../gateway/http/rate-limit.ts";
import { HASH_KEY_BYTES } from "../../limits/index.ts";
import { NodeLimits } from "./node-limits.ts";

const ADDRESS = "192.0.2.1";
const UID = 7;
const ORDERS = 10;
const WEIGHT = 50;
const access = { anyOf: ["spot"] } as const satisfies Route["access"];
const ORDER = {
  id: "order",
  limit: { kind: "rate", perSecond: ORDERS },
  access,
  countsAsOrder: true,
} as const;
const READ = { id: "read", limit: { kind: "weight", ip: 1, uid: WEIGHT }, access } as const;
const MARKET = { id: "market", limit: { kind: "rate", perSecond: 20 }, access: null } as const;

class LimitedNode {
  readonly limits: NodeLimits;
  readonly order;
  readonly read;
  readonly market;

  constructor() {
    this.limits = new NodeLimits(createRateLimits(new Uint8Array(HASH_KEY_BYTES)), {
      monotonicMs: () => 1000,
    });
    this.order = this.limits.forRoute(ORDER);
    this.read = this.limits.forRoute(READ);
    this.market = this.limits.forRoute(MARKET);
  }
}

test("orders are counted at the leader, wherever they come in", () => {
  const leader = new LimitedNode();
  const followers = [new LimitedNode(), new LimitedNode()];
  let admitted = 0;
  for (let round = 0; round < 2 * ORDERS; round++) {
    for (const node of [leader, ...followers]) {
      const isTaken = node.order.takeUser(ADDRESS, UID, 1000) === 0;
      if (node === leader) {
        if (isTaken) admitted++;
        continue;
      }
      const { charge } = node.limits;
      assert.equal(charge !== "", isTaken, "what is passed on says what it counts as");
      if (isTaken && leader.limits.admit(charge)) admitted++;
    }
  }
  assert.equal(admitted, ORDERS);
  for (const node of followers) assert.equal(node.limits.takeAdmitted(), null);
});

test("a charge belongs to one request", () => {
  const { limits, order, read } = new LimitedNode();
  order.takeUser(ADDRESS, UID, 1000);
  assert.notEqual(limits.charge, "");
  limits.entered();
  assert.equal(limits.charge, "");
  order.takeUser(ADDRESS, UID, 1000);
  read.takeUser(ADDRESS, UID, 1000);
  assert.equal(limits.charge, "", "of the last request");
});

test("what is told counts at the others, by user and by address", () => {
  const here = new LimitedNode();
  const there = new LimitedNode();
  for (let count = 0; count < 6; count++) assert.equal(here.read.takeUser(ADDRESS, UID, 1000), 0);
  for (let count = 0; count < 20; count++) assert.equal(here.market.takeAddress(ADDRESS, 1000), 0);
  const told = here.limits.takeAdmitted();
  assert.ok(told !== null);
  assert.equal(here.limits.takeAdmitted(), null, "it is told once");
  there.limits.spend(told);
  assert.equal(there.read.usedWeight(ADDRESS, UID, 1000), 6 * WEIGHT);
  assert.ok(there.market.takeAddress(ADDRESS, 1000) > 0, "the address has used its share");
  assert.equal(there.limits.takeAdmitted(), null, "what is told is not told again");
  for (let count = 6; count < 10; count++) assert.equal(there.read.takeUser(ADDRESS, UID, 1000), 0);
  assert.ok(there.read.takeUser(ADDRESS, UID, 1000) > 0);
  // More than there is: the pool is empty, and fills as ever.
  there.limits.spend(JSON.stringify([["read", ADDRESS, UID, 1000]]));
  assert.equal(there.read.takeUser(ADDRESS, UID, 11_000), 0);
});
