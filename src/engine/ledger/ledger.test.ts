/**
 * Proves that the ledger is exact on both sides of every boundary of its cells: against a ledger of
 * plain bigints, with amounts and balances around 2^62, 2^63 and 2^64.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { HOUSE_ACCOUNTS } from "../../domain/index.ts";
import { CONTRACT_AVAILABLE, Ledger, SPOT_AVAILABLE, SPOT_FROZEN } from "./ledger.ts";

const MOVES = 40_000;
const USERS = 6;
const BOUNDARIES = [0n, 1n, 2n ** 53n, 2n ** 62n, 2n ** 63n, 2n ** 64n, 2n ** 90n];

/** An amount at a boundary or anywhere below one. */
function randomAmount(random: Random): bigint {
  const near = random.pick(BOUNDARIES) + BigInt(random.integer(-2, 2));
  const amount = random.chance(0.4) ? near : near / BigInt(random.integer(1, 1_000_000));
  return amount < 0n ? 0n : amount;
}

test("moves, draws and restored balances are those of plain bigints", () => {
  const random = seededRandom("ledger");
  const ledger = new Ledger();
  const oracle: bigint[] = [];
  const groups = [0, 1].map((asset) => {
    assert.equal(ledger.addAsset(), asset);
    const bases = Array.from({ length: USERS }, () => ledger.addUserAccounts(asset));
    const users = bases.flatMap((base) => [base + SPOT_AVAILABLE, base + SPOT_FROZEN]);
    const drawn = bases.map((base) => base + CONTRACT_AVAILABLE);
    const external = ledger.houseAccount(asset, "external");
    const fees = ledger.houseAccount(asset, "fees");
    return { all: [...users, ...drawn, external, fees], drawn, external };
  });
  for (const { all } of groups) for (const account of all) oracle[account] = 0n;
  let refused = 0;
  for (let i = 0; i < scaled(MOVES); i++) {
    const { all, drawn, external } = random.pick(groups);
    const from = random.chance(0.3) ? external : random.pick(all);
    const to = random.pick(all);
    const held = oracle[from] as bigint;
    const amount = random.chance(0.2) && held > 0n ? held : randomAmount(random);
    const draws = drawn.includes(from);
    if (from !== external && !draws && amount > held) {
      assert.throws(() => ledger.move(from, to, amount), /no account of a user falls below zero/);
      refused++;
    } else {
      if (draws) ledger.draw(from, to, amount);
      else ledger.move(from, to, amount);
      oracle[from] = held - amount;
      oracle[to] = (oracle[to] as bigint) + amount;
    }
    assert.equal(ledger.balance(from), oracle[from]);
    assert.equal(ledger.balance(to), oracle[to]);
    // Balances that wander out for good would leave the boundaries behind.
    if (random.chance(0.01)) restoreAll(ledger, oracle);
  }
  assert.ok(refused > 100, "some moves are refused");
  for (const [account, balance] of oracle.entries()) {
    if (balance !== undefined) assert.equal(ledger.balance(account), balance);
  }
});

/** Takes every balance back to near zero, as a snapshot would. */
function restoreAll(ledger: Ledger, oracle: bigint[]): void {
  for (const account of oracle.keys()) {
    if (oracle[account] === undefined) continue;
    oracle[account] = (oracle[account] as bigint) / 2n ** 70n;
    ledger.restore(account, oracle[account]);
  }
}

test("one account takes from many more than a cell holds, each time by a plain move", () => {
  const amount = 4n * 10n ** 18n;
  const ledger = new Ledger();
  const external = ledger.houseAccount(ledger.addAsset(), "external");
  const payers = Array.from({ length: 6 }, () => ledger.addUserAccounts(0) + SPOT_AVAILABLE);
  const receiver = ledger.addUserAccounts(0) + SPOT_AVAILABLE;
  // Three of them are beyond 2^63, and each of them and of the payers is within 2^62.
  for (const [i, payer] of payers.entries()) {
    ledger.move(external, payer, amount);
    ledger.move(payer, receiver, amount);
    assert.equal(ledger.balance(receiver), amount * BigInt(i + 1));
    assert.equal(ledger.balance(payer), 0n);
  }
  for (const [i, payer] of payers.entries()) {
    ledger.move(receiver, payer, amount);
    assert.equal(ledger.balance(receiver), amount * BigInt(payers.length - i - 1));
  }
  assert.equal(ledger.balance(external), -amount * BigInt(payers.length));
});

test("a balance of exactly what a cell holds, and of one more, is kept", () => {
  const most = 2n ** 62n;
  for (const more of [-1n, 0n, 1n]) {
    const ledger = new Ledger();
    const external = ledger.houseAccount(ledger.addAsset(), "external");
    const [one, other] = [0, 1].map(() => ledger.addUserAccounts(0) + SPOT_AVAILABLE) as [
      number,
      number,
    ];
    ledger.move(external, one, most);
    ledger.move(external, other, most + more);
    ledger.move(one, other, most);
    assert.deepEqual([ledger.balance(one), ledger.balance(other)], [0n, 2n * most + more]);
    ledger.move(other, one, 2n * most + more);
    assert.deepEqual([ledger.balance(one), ledger.balance(other)], [2n * most + more, 0n]);
  }
});

test("a move stays within one asset, has a direction, and may lead back to where it began", () => {
  const ledger = new Ledger();
  const one = ledger.houseAccount(ledger.addAsset(), "external");
  const other = ledger.houseAccount(ledger.addAsset(), "external");
  const user = ledger.addUserAccounts(0) + SPOT_AVAILABLE;
  for (const move of [ledger.move.bind(ledger), ledger.draw.bind(ledger)]) {
    assert.throws(() => move(one, other, 1n), /a move is within one asset/);
    assert.throws(() => move(one, user, -1n), /a move has a direction/);
    move(one, user, 5n);
    move(user, user, 5n);
  }
  assert.equal(ledger.balance(user), 10n);
  assert.equal(ledger.balance(one), -10n);
});

test("totals of an asset sum to zero, with thousands of accounts", () => {
  const ledger = new Ledger();
  const asset = ledger.addAsset();
  const external = ledger.houseAccount(asset, "external");
  const bases: number[] = [];
  for (let i = 0; i < 3_000; i++) {
    const base = ledger.addUserAccounts(asset);
    bases.push(base);
    ledger.move(external, base + SPOT_AVAILABLE, 2n ** 61n + BigInt(i));
  }
  const totals = ledger.totals(asset, bases);
  let sum = 0n;
  for (const total of Object.values(totals)) sum += total;
  assert.equal(sum, 0n);
  assert.equal(totals.external, -(3_000n * 2n ** 61n + (3_000n * 2_999n) / 2n));
  assert.equal(Object.keys(totals).length, 5 + HOUSE_ACCOUNTS.length);
});
