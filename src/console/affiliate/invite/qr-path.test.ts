/** Proves that the path covers the dark squares of a code and no others, by painting it again. */
import assert from "node:assert/strict";
import test from "node:test";
import { encode } from "uqr";
import { qrPath } from "./qr-path.ts";

function painted(path: string, size: number): boolean[][] {
  const squares = Array.from({ length: size }, () => new Array<boolean>(size).fill(false));
  for (const [, x, y, width, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    assert.equal(width, back);
    for (let i = 0; i < Number(width); i++) {
      const row = squares[Number(y)] as boolean[];
      assert.equal(row[Number(x) + i], false, "no square twice");
      row[Number(x) + i] = true;
    }
  }
  return squares;
}

test("a path paints its code", () => {
  for (const text of ["RIALTO", "http://127.0.0.1:8080/?invite=ABCDEF1234", "x".repeat(300)]) {
    const { data, size } = encode(text, { border: 2 });
    assert.deepEqual(painted(qrPath(data), size), data);
  }
  assert.equal(qrPath([]), "");
});
