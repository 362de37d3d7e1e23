/** Proves what typed filters ask for: nothing of a wrong field, whole UTC days, any case. */
import assert from "node:assert/strict";
import test from "node:test";
import { isEmpty, NO_FILTER, problems, queryOf } from "./filter-draft.ts";

test("empty fields are no filter", () => {
  assert.ok(isEmpty(queryOf(NO_FILTER)));
  assert.ok(isEmpty(queryOf({ ...NO_FILTER, text: "  " })));
});

test("every field asks for itself", () => {
  const typed = {
    actor: "ann ",
    action: "user-updated",
    uid: " 7",
    symbol: "btcusdt",
    text: " x ",
  };
  const days = { from: "2026-11-01", to: "2026-11-01" };
  assert.deepEqual(queryOf({ ...typed, ...days }), {
    ...{ actor: "ann", action: "user-updated", uid: 7, symbol: "BTCUSDT", text: "x" },
    ...{ startTime: 1_793_491_200_000, endTime: 1_793_577_599_999 },
  });
});

test("a wrong field is named and left out", () => {
  const draft = { ...NO_FILTER, actor: "a b", uid: "x", symbol: "?", from: "2026-02-02" };
  const wrong = { ...draft, to: "2026-02-01" };
  assert.deepEqual(Object.keys(queryOf(wrong)), ["startTime"]);
  assert.ok(Object.values(problems(wrong)).every((problem) => problem !== null));
  assert.ok(Object.values(problems(NO_FILTER)).every((problem) => problem === null));
});
