/** Proves how webhooks and their deliveries read, in each of their states. */
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerText,
  type Delivery,
  deliverySentence,
  eventsText,
  kindsText,
  type Webhook,
  webhookState,
} from "./webhook-texts.ts";

const WEBHOOK: Webhook = {
  ...{ webhookId: "wh_4d1f0c2b9a8e7f60", url: "https://example.com/", paused: false, added: 0 },
  ...{ kinds: ["deposits", "fills"], accounts: [70, 71], hasSecret: true },
  ...{ deliveredNumber: 1, lastNumber: 3, failures: 0, failingSince: null, lastError: null },
};
const DELIVERY: Delivery = {
  ...{ deliveryId: 1, time: 0, kind: "events", firstNumber: 41, lastNumber: 45, attempt: 1 },
  ...{ delivered: true, status: 200, error: null, durationMs: 12 },
};

test("a state says what happens now", () => {
  const failing = { ...WEBHOOK, failures: 2, failingSince: 1_000 };
  assert.equal(webhookState(WEBHOOK).text, "working");
  assert.equal(webhookState(failing).text, "failing since 1970-01-01 00:00:01 UTC");
  assert.equal(webhookState({ ...failing, paused: true }).text, "paused");
  assert.equal(webhookState({ ...failing, paused: true, hasSecret: false }).text, "no secret");
});

test("fills are of accounts", () => {
  assert.equal(kindsText(WEBHOOK), "deposits, fills of 70, 71");
  assert.equal(kindsText({ ...WEBHOOK, accounts: [] }), "deposits, fills of no account");
});

test("deliveries", () => {
  const refused = { ...DELIVERY, delivered: false, status: 503 };
  const lost = { ...DELIVERY, delivered: false, status: null, error: "ECONNREFUSED" };
  assert.equal(eventsText(DELIVERY), "41–45");
  assert.equal(eventsText({ ...DELIVERY, lastNumber: 41 }), "41");
  assert.equal(eventsText({ ...DELIVERY, kind: "test", firstNumber: 0, lastNumber: 0 }), "–");
  assert.equal(answerText(refused), "status 503");
  assert.equal(answerText(lost), "ECONNREFUSED");
  assert.equal(deliverySentence(DELIVERY), "Delivered in 12 ms: status 200");
  assert.equal(deliverySentence(refused), "Not delivered: status 503");
  assert.equal(deliverySentence(lost), "Not delivered: ECONNREFUSED");
});
