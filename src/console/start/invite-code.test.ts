/** Proves that of an address only a well-formed invite code ever reaches the page. */
import assert from "node:assert/strict";
import test from "node:test";
import { inviteOf } from "./invite-code.ts";

test("a code is taken as it stands", () => {
  assert.deepEqual(inviteOf("?invite=AB2_x-9"), { code: "AB2_x-9" });
  assert.deepEqual(inviteOf("other=1&invite=demo3001"), { code: "demo3001" });
  assert.deepEqual(inviteOf(`?invite=${"x".repeat(64)}`), { code: "x".repeat(64) });
});

test("an address without one says nothing", () => {
  assert.equal(inviteOf(""), null);
  assert.equal(inviteOf("?code=demo3001"), null);
});

test("anything else is broken, and none of it is given on", () => {
  const others = [
    "",
    "a b",
    "<b>x</b>",
    "%3Cscript%3E",
    "x".repeat(65),
    "ä",
    "a&invite=b",
    "a%0Ab",
  ];
  for (const text of others) assert.equal(inviteOf(`?invite=${text}`), "broken", text);
});
