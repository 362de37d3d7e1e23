/**
 * Proves that `do-for-reason` does what its command does and then tells the reason: the same events
 * and the same state as the command alone; and that a refused command leaves neither events
 * nor a sequence number.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RULES_VERSION } from "../../src/engine/index.ts";
import type { Command, GraveCommand } from "../../src/protocol/index.ts";
import { DirectExchange } from "../support/direct-exchange.ts";
import { BTC_CONTRACT, BTC_SPOT } from "../support/listings.ts";

const actor = "ann";
const KEY = `rialto_${"0".repeat(32)}`;

const SETUP: readonly Command[] = [
  { type: "adopt-rules", version: RULES_VERSION },
  { type: "set-asset", actor, asset: "BTC", coinId: 1, name: "Bitcoin", scale: 8 },
  { type: "set-asset", actor, asset: "USDT", coinId: 2, name: "Tether", scale: 8 },
  { type: "set-spot-market", actor, ...BTC_SPOT },
  { type: "set-contract-market", actor, ...BTC_CONTRACT },
  { type: "register-user", actor, uid: 7, inviteCode: "A", invitedWith: null, kyc: false },
  {
    ...{ type: "set-api-key", actor, apiKey: KEY, uid: 7, label: "", permissions: ["read"] },
    ...{ ipAllowList: [], expiresAtMs: null },
  },
  {
    ...{ type: "set-operator", actor, name: "eve", role: "viewer" },
    ...{ tokenHash: "0".repeat(64), expiresAtMs: null },
  },
];

const GRAVE: readonly GraveCommand[] = [
  { type: "set-spot-market-state", actor, symbol: "BTCUSDT", state: "halted" },
  { type: "set-contract-market-state", actor, symbol: "BTCUSDT", state: "cancel-only" },
  { type: "update-user", actor, uid: 7, kyc: null, state: "frozen", selfTradePrevention: null },
  { type: "revoke-api-key", actor, apiKey: KEY },
  { type: "remove-operator", actor, name: "eve" },
];

async function prepared(): Promise<DirectExchange> {
  const exchange = new DirectExchange();
  for (const command of SETUP) {
    const reply = await exchange.client.execute(command);
    assert.ok(reply.ok, JSON.stringify([command, reply]));
  }
  return exchange;
}

async function hashOf({ client }: DirectExchange): Promise<string> {
  const reply = await client.query({ type: "invariants" });
  assert.ok(reply.ok);
  return reply.value.stateHash;
}

for (const command of GRAVE) {
  test(`${command.type} with a reason is the command and its reason`, async () => {
    const [plain, reasoned] = [await prepared(), await prepared()];
    await plain.client.execute(command);
    const reason = "a “reason”, é";
    const reply = await reasoned.client.execute({ type: "do-for-reason", reason, command });
    assert.ok(reply.ok, JSON.stringify(reply));
    assert.equal(reply.value, null);
    assert.deepEqual(reasoned.events.slice(0, -1), plain.events);
    assert.deepEqual(reasoned.events.at(-1), { type: "reason-given", reason });
    assert.equal(await hashOf(reasoned), await hashOf(plain));
  });
}

test("a refused command leaves no trace, and no reason", async () => {
  const exchange = await prepared();
  const before = exchange.events.length;
  const hash = await hashOf(exchange);
  const unknown = { ...GRAVE[0], symbol: "NOPE" } as GraveCommand;
  const command = { type: "do-for-reason", reason: "x", command: unknown } as const;
  const reply = await exchange.client.execute(command);
  assert.ok(!reply.ok && "reason" in reply && reply.reason === "unknown-symbol");
  assert.equal(exchange.events.length, before);
  assert.equal(await hashOf(exchange), hash);
});
