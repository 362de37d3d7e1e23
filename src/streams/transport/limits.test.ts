/**
 * Goal: handshakes and connections of an address are counted over all gateways, exactly.
 * Method: random attempts, opens and closes at three gateways on one memory, compared with plain
 * counts; the hundred connections of an address and its 300 attempts, and what switches them off.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { AddressLimits, createAddressMemory } from "./limits.ts";

const random = seededRandom("stream limits");
const CONNECTIONS = 100;
const ATTEMPTS = 300;

function gateways(isOn = true): readonly AddressLimits[] {
  const memory = createAddressMemory(Buffer.from("12345678"));
  return [1, 2, 3].map(() => new AddressLimits(isOn, memory));
}

test("opens and closes at any gateway count as at one", () => {
  const limits = gateways();
  const open = new Map<string, number>();
  let refused = 0;
  for (let step = 0; step < scaled(20_000); step++) {
    const address = `192.0.2.${random.integer(1, 3)}`;
    const gateway = random.pick(limits);
    const count = open.get(address) ?? 0;
    if (random.chance(0.45) && count > 0) {
      gateway.closed(address);
      open.set(address, count - 1);
      continue;
    }
    const isTaken = gateway.open(address, 1_000 + step);
    assert.equal(isTaken, count < CONNECTIONS);
    if (isTaken) open.set(address, count + 1);
    else refused++;
  }
  assert.ok(refused > 0);
});

test("attempts are 300 at once, then one a second, whatever becomes of them", () => {
  const limits = gateways();
  let nowMs = 5_000;
  const attempt = (address: string) => random.pick(limits).takeAttempt(address, nowMs);
  for (let i = 0; i < ATTEMPTS; i++) assert.equal(attempt("a"), true);
  assert.equal(attempt("a"), false);
  assert.equal(attempt("b"), true);
  nowMs += 999;
  assert.equal(attempt("a"), false);
  nowMs += 1;
  assert.equal(attempt("a"), true);
  assert.equal(attempt("a"), false);
  for (let i = 0; i < CONNECTIONS; i++) assert.equal(random.pick(limits).open("b", nowMs), true);
  assert.equal(attempt("b"), false, "it has all its connections");
  random.pick(limits).closed("b");
  assert.equal(attempt("b"), true);
});

test("limits that are off count nothing", () => {
  const [limits] = gateways(false);
  assert.ok(limits !== undefined);
  for (let i = 0; i < 1_000; i++) assert.ok(limits.takeAttempt("a", 1) && limits.open("a", 1));
  limits.closed("a");
});
