/**
 * Goal: the hash is HalfSipHash-2-4 with 64 bits, also of a text that it remembers.
 * Method: test vectors of its authors (key 00…07, message 00 01 02 …) of even length, as texts of
 * two bytes a character; many texts with and without a memory of them.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { KeyedHash } from "./keyed-hash.ts";

const KEY = Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]);
const VECTORS = [
  [0, "218d1f59b9b83cc8"],
  [2, "064f39ef7c50eb57"],
  [4, "d5e78a175be52ea1"],
  [6, "ce3e91358aa2bc25"],
  [14, "3bb1a870eae8e658"],
  [62, "f90b3ab572d46693"],
] as const;

function fresh(): KeyedHash {
  return new KeyedHash(KEY.readInt32LE(0), KEY.readInt32LE(4));
}

function hex({ low, high }: KeyedHash): string {
  const bytes = Buffer.alloc(8);
  bytes.writeInt32LE(low, 0);
  bytes.writeInt32LE(high, 4);
  return bytes.toString("hex");
}

test("texts hash to the vectors of the authors", () => {
  const hash = fresh();
  for (const [bytes, expected] of VECTORS) {
    const message = Buffer.from(Array.from({ length: bytes }, (_, i) => i));
    hash.of(message.toString("utf16le"));
    assert.equal(hex(hash), expected, `${bytes} bytes`);
  }
});

test("what is remembered is what was hashed, and a number is its text", () => {
  const hash = fresh();
  const first = new Map<number, string>();
  for (let pass = 0; pass < 3; pass++) {
    // More than it remembers, so that it forgets in between.
    for (let uid = 0; uid < 40_000; uid++) {
      hash.of(uid);
      const known = first.get(uid);
      if (known === undefined) first.set(uid, hex(hash));
      else if (known !== hex(hash)) assert.fail(`uid ${uid}`);
    }
  }
  assert.equal(new Set(first.values()).size, 40_000);
  hash.of("39999");
  assert.equal(hex(hash), first.get(39_999));
});
