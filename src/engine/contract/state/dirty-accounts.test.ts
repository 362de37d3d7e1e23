/** Proves that an account is looked at once, however often a command has changed it. */
import assert from "node:assert/strict";
import test from "node:test";
import type { MarginAccount } from "./contract-market.ts";
import { DirtyAccounts } from "./dirty-accounts.ts";

test("each account once, in the order of its first change, until all were looked at", () => {
  const [one, other] = [1, 2].map((base) => ({ base, isDirty: false }) as unknown as MarginAccount);
  assert.ok(one !== undefined && other !== undefined);
  const dirty = new DirtyAccounts();
  for (const account of [other, one, other, one]) dirty.add(account);
  assert.equal(dirty.size, 2);
  assert.deepEqual(dirty.inOrder(), [other, one]);
  dirty.clear();
  assert.deepEqual([dirty.size, one.isDirty, other.isDirty], [0, false, false]);
  dirty.add(one);
  assert.deepEqual(dirty.inOrder(), [one]);
});
