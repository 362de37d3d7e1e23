/** Proves that a withdrawal and its steps read as sentences, with and without what is optional. */
import assert from "node:assert/strict";
import test from "node:test";
import type { GetWithdrawalRequestAnswer } from "../../../client/index.ts";
import { stepSentence, termsSentences } from "./withdrawal-sentences.ts";

const WITHDRAWAL: GetWithdrawalRequestAnswer = {
  ...{ withdrawalId: 3, uid: 70, id: "w-1", asset: "USDT", amount: "12500", fee: "1" },
  ...{ addressId: 2, network: "TRC20", address: "TExample", memo: "", reference: "0x1" },
  ...{ state: "sent", requested: 0, changed: 0, steps: [] },
};

test("terms", () => {
  assert.deepEqual(termsSentences(WITHDRAWAL), [
    "12,500 USDT of user 70 to TExample, over TRC20.",
    "Of it, 1 USDT is the fee.",
    "The address is number 2 of the user's book; the request has the id w-1.",
  ]);
  const [first, second] = termsSentences({ ...WITHDRAWAL, fee: "0", memo: "7" });
  assert.match(first ?? "", /to TExample, memo 7, over TRC20\.$/);
  assert.equal(second, "No fee is kept.");
});

test("steps", () => {
  const step = { id: "s", time: 0, actor: "", note: "" };
  assert.match(
    stepSentence({ ...step, state: "requested" }),
    /^Requested by the user on 1970-01-01/,
  );
  const approved = { ...step, state: "approved", actor: "ann and bob", note: "known" } as const;
  assert.match(stepSentence(approved), /^Approved by ann and bob on .*: known$/);
  const sent = { ...step, state: "sent", actor: "bob", note: "0x7f" } as const;
  assert.match(stepSentence(sent), /^Recorded as sent by bob on .*, reference 0x7f$/);
});
