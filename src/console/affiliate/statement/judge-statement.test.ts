/** Proves that the words about a statement are those that its check and the published end allow. */
import assert from "node:assert/strict";
import test from "node:test";
import type { Statement, StatementHead } from "../../../client/index.ts";
import { headAt, judge } from "./judge-statement.ts";

const UID = 3001;
const STATEMENT = {
  affiliateUid: UID,
  from: "2026-11-20",
  to: "2026-11-22",
  complete: true,
  part: 1,
  parts: 1,
  openingOrdinal: 0,
  openingHash: "00",
  opening: [],
  entries: [],
  closingOrdinal: 40,
  closingHash: "ab",
  totals: [],
  digest: "cd",
} satisfies Statement;
const HEAD: StatementHead = { date: "2026-11-21", ordinal: 40, hash: "ab", complete: true };

function kindOf(changes: Partial<Statement>, head: StatementHead | null = HEAD): string {
  return judge({ isValid: true, statement: { ...STATEMENT, ...changes } }, head, UID).kind;
}

test("the end that counts is the last published up to the statement's last day", () => {
  const heads = ["2026-11-19", "2026-11-21", "2026-11-23"].map((date) => ({ ...HEAD, date }));
  assert.equal(headAt(heads, "2026-11-22")?.date, "2026-11-21");
  assert.equal(headAt(heads, "2026-11-23")?.date, "2026-11-23");
  assert.equal(headAt(heads, "2026-11-18"), null);
});

test("genuine, changed, forged, and what cannot be compared", () => {
  assert.equal(kindOf({}), "good");
  const bad = judge({ isValid: false, problem: "entry 7: the hash is another" }, HEAD, UID);
  assert.equal(bad.kind, "bad");
  assert.match(bad.lines.join(), /entry 7: the hash is another/);
  assert.equal(kindOf({ closingHash: "ac" }), "bad");
  assert.equal(kindOf({}, null), "bad");
  assert.equal(kindOf({ closingOrdinal: 0 }, null), "good");
  assert.equal(kindOf({ affiliateUid: 7 }), "open");
  assert.equal(kindOf({ parts: 2 }), "open");
  assert.equal(kindOf({ parts: 2, part: 2 }), "good");
});

test("a day that was not over may have grown, but nothing else may have changed", () => {
  const open = { complete: false, closingHash: "aa" };
  assert.equal(kindOf({ ...open, closingOrdinal: 39 }), "open");
  assert.equal(kindOf({ ...open, closingOrdinal: 40 }), "bad");
  assert.equal(kindOf({ ...open, closingOrdinal: 41 }), "bad");
  assert.equal(kindOf({ closingOrdinal: 39, closingHash: "aa" }), "bad");
});
