/**
 * Proves the demo's affiliates against the real engine: a tree of three, invitees of each kind and,
 * once the books are quoted, commissions that are already settled. A second start changes nothing,
 * whatever was changed by hand in between. A venue whose users existed before gets what is missing.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { DirectExchange } from "../../test/support/direct-exchange.ts";
import { accept } from "../domain/index.ts";
import { RULES_VERSION } from "../engine/index.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import type { EventOf, EventType } from "../protocol/index.ts";
import { seedAffiliates } from "./affiliate-seed.ts";
import { DEMO_AFFILIATES, DEMO_INVITEES } from "./demo-profile.ts";
import { type DemoKeys, seedDemo } from "./seed-demo.ts";
import { Traders } from "./traders.ts";

const NO_KEYS: DemoKeys = {
  create: async (uid) => accept({ apiKey: `rialto_${String(uid).padStart(32, "0")}`, secret: "s" }),
  activate: () => Promise.resolve(),
};

/** A venue as the profile finds it: with the first two assets listed. */
async function openExchange(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "rialto-demo-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const exchange = new DirectExchange();
  const { client } = exchange;
  await client.execute({ type: "adopt-rules", version: RULES_VERSION });
  for (const [asset, coinId] of [
    ["BTC", 1],
    ["USDT", 2],
  ] as const) {
    await client.execute({
      type: "set-asset",
      actor: "test",
      asset,
      coinId,
      name: asset,
      scale: 8,
    });
  }
  const start = async () => {
    const accounts = await seedDemo(client, NO_KEYS, folder);
    const traders = await Traders.start({
      engine: client,
      platform: NODE_PLATFORM,
      isWatched: () => false,
      seed: 1,
    });
    await traders.stop();
    return accounts.map(({ uid }) => uid);
  };
  const events = <Type extends EventType>(type: Type) =>
    exchange.events.filter((event): event is EventOf<Type> => event.type === type);
  return { exchange, client, start, events };
}

async function affiliatesOf({ client }: DirectExchange) {
  const reply = await client.query({ type: "affiliates", afterUid: 0, limit: 10 });
  assert.ok(reply.ok);
  return reply.value;
}

test("a tree, invitees of each kind, commissions in several coins, all of it paid", async (t) => {
  const { exchange, client, start, events } = await openExchange(t);
  assert.deepEqual(await start(), [1001, 1002, 3001]);
  const tree = (await affiliatesOf(exchange)).map(({ uid, parentUid, depth }) => {
    return [uid, parentUid, depth];
  });
  assert.deepEqual(tree, [
    [3001, null, 1],
    [3002, 3001, 2],
    [3003, 3002, 3],
  ]);
  const inviterOf = async (uid: number) => {
    const user = await client.query({ type: "user", uid });
    assert.ok(user.ok, `there is no user ${uid}`);
    return user.value.inviterUid;
  };
  assert.deepEqual([await inviterOf(1001), await inviterOf(1002)], [3003, 3001]);
  for (const { uid, inviterUid } of DEMO_INVITEES) assert.equal(await inviterOf(uid), inviterUid);

  const earned = events("commission-accrued");
  const traders = new Set(earned.map(({ traderUid }) => traderUid));
  assert.deepEqual([...traders].sort(), [4001, 4002, 4003, 4005]);
  for (const { uid } of DEMO_AFFILIATES) {
    assert.ok(
      earned.some((row) => row.affiliateUid === uid && row.viaUid === null),
      `${uid}`,
    );
  }
  assert.ok(earned.some(({ affiliateUid, viaUid }) => affiliateUid === 3001 && viaUid === 3002));
  assert.ok(new Set(earned.map(({ asset }) => asset)).size >= 4);
  assert.ok(earned.every(({ commissionMinor }) => commissionMinor > 0n));
  assert.ok(events("commissions-settled").every(({ paidMinor }) => paidMinor > 0n));
  for (const { balances } of await affiliatesOf(exchange)) assert.deepEqual(balances, []);
  assert.equal(events("internal-withdrawal-made").length, 1);
  const frozen = await client.query({ type: "user", uid: 4005 });
  assert.equal(frozen.ok && frozen.value.state, "frozen");
});

test("a second start adds nothing, and leaves what was changed by hand", async (t) => {
  const { client, start, events } = await openExchange(t);
  await start();
  const actor = "somebody";
  const rates = { spotRate: "0.1", futuresRate: "0.1", parentUid: null };
  assert.ok((await client.execute({ type: "set-affiliate", actor, uid: 3001, ...rates })).ok);
  const state = { kyc: null, state: "active", selfTradePrevention: null } as const;
  assert.ok((await client.execute({ type: "update-user", actor, uid: 4005, ...state })).ok);
  const counted: readonly EventType[] = [
    "user-registered",
    "user-updated",
    "affiliate-set",
    "house-account-set",
    "funds-moved",
    "settlement-asked",
    "internal-withdrawal-made",
    "commission-accrued",
  ];
  const counts = () => counted.map((type) => [type, events(type).length]);
  const before = counts();
  await start();
  assert.deepEqual(counts(), before);
  const kept = await client.query({ type: "affiliate", uid: 3001 });
  assert.equal(kept.ok && kept.value.spotRate, "0.1");
});

test("a venue of before affiliates gets them; whose invitee somebody is stays", async (t) => {
  const { exchange, client, start } = await openExchange(t);
  for (const uid of [1001, 1002, 2001, 2002]) {
    const user = { actor: "demo", inviteCode: `DEMO${uid}`, invitedWith: null, kyc: true };
    assert.ok((await client.execute({ type: "register-user", uid, ...user })).ok);
  }
  assert.deepEqual(await start(), [1001, 1002, 3001]);
  const old = await client.query({ type: "user", uid: 1001 });
  assert.equal(old.ok && old.value.inviterUid, null);
  assert.equal((await affiliatesOf(exchange)).length, 3);
});

test("numbers that somebody else has already are left to them", async (t) => {
  const { exchange, client, start } = await openExchange(t);
  const other = { actor: "test", uid: 3002, inviteCode: "MINE", invitedWith: null, kyc: true };
  assert.ok((await client.execute({ type: "register-user", ...other })).ok);
  await seedAffiliates(client);
  assert.deepEqual(await affiliatesOf(exchange), []);
  assert.deepEqual(await start(), [1001, 1002]);
});
