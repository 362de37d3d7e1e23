/**
 * Proves that the memory of wrong tokens is bounded, that the address that was quiet for longest is
 * forgotten first, and that the log has a limited number of lines per minute and says how many it
 * left out.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ADDRESSES_MAX, WrongTokens } from "./wrong-tokens.ts";

function wrongTokens(): { readonly wrong: WrongTokens; readonly lines: [object, string][] } {
  const lines: [object, string][] = [];
  const warn = (fields: object, message: string) => void lines.push([fields, message]);
  return { wrong: new WrongTokens({ info: warn, warn, error: warn }), lines };
}

test("an address that goes on is remembered, however many others there are", () => {
  const { wrong } = wrongTokens();
  for (let i = 0; i < 10; i++) wrong.note("first", 0);
  for (let i = 0; i < 3 * ADDRESSES_MAX; i++) {
    wrong.note(`address-${i}`, 0);
    if (i % 1_000 === 0) wrong.note("first", 0);
    assert.ok(wrong.addresses <= ADDRESSES_MAX);
  }
  assert.ok(wrong.waitMs("first", 0) > 0);
  assert.equal(wrong.waitMs("address-0", 0), 0);
});

test("the log has so many lines a minute, and then the number of those left out", () => {
  const { wrong, lines } = wrongTokens();
  for (let i = 0; i < 100; i++) wrong.note(`address-${i}`, 1_000);
  wrong.noteThrottled("address-1", 2_000);
  assert.equal(lines.length, 30);
  assert.deepEqual(lines[0], [{ address: "address-0" }, "a wrong operator token"]);
  wrong.note("later", 61_000);
  assert.deepEqual(lines[30], [{ address: "later", unlogged: 71 }, "a wrong operator token"]);
  wrong.note("later", 61_000);
  assert.deepEqual(lines[31]?.[0], { address: "later" });
});
