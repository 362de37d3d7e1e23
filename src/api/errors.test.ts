/**
 * Proves the rules of the error registry for every entry: HTTP statuses by family, the form of
 * codes, the words and codes that public clients look for, and messages that fit the table of the
 * reference.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  ERRORS,
  type ErrorEntry,
  errorMessage,
  familyOfPath,
  OPERATOR_ERRORS,
  type RefusalReason,
  refuse,
} from "./errors.ts";
import type { OperatorReason } from "./operator/errors.ts";

const ENTRIES = Object.entries(ERRORS) as [RefusalReason, ErrorEntry][];

/** Reasons whose status is not 400: limits, unavailability, and the transport below the API. */
const OTHER_STATUS: Partial<Record<RefusalReason, number>> = {
  "rate-limited": 429,
  "unknown-path": 404,
  "unknown-method": 404,
  "method-not-allowed": 405,
  "upgrade-required": 426,
  "headers-too-large": 431,
  "request-timeout": 408,
  overloaded: 503,
  "disk-nearly-full": 503,
  "history-behind": 503,
  stopping: 503,
  "not-leader": 503,
  "outcome-unknown": 503,
};

test("v2 answers 400 but where the transport says otherwise, v3 also 401 and 403", () => {
  for (const [reason, { v2, v3 }] of ENTRIES) {
    const expected = OTHER_STATUS[reason] ?? 400;
    assert.equal(v2.status, expected, reason);
    const isAuthentication = v3.code <= -1040 && v3.code >= -1049;
    const isForbidden = v3.code === -1052 || v3.code === -1056;
    assert.equal(v3.status, isAuthentication ? 401 : isForbidden ? 403 : expected, reason);
  }
});

test("v2 codes are digits as text, v3 codes negative numbers", () => {
  for (const [reason, { v2, v3, message, when, remedy }] of ENTRIES) {
    assert.match(v2.code, /^(429|\d{5})$/, reason);
    assert.ok(Number.isInteger(v3.code) && v3.code < 0, reason);
    assert.doesNotMatch(message + when + remedy, /[|\n]/, reason);
    for (const text of [when, remedy]) assert.match(text, /^\S.*\.$/, reason);
  }
});

test("a public client finds the words and codes that it sorts errors by", () => {
  assert.match(errorMessage(refuse("insufficient-balance")), /amount not enough/);
  const codes: readonly (readonly [RefusalReason, string, number])[] = [
    ["unknown-symbol", "40034", -1121],
    ["order-not-found", "43001", -2200],
    ["off-tick", "40020", -1160],
    ["off-step", "40020", -1160],
    ["invalid-time-in-force", "40020", -1115],
    ["invalid-order-type", "40020", -1116],
    ["invalid-side", "40020", -1117],
    ["malformed-json", "40017", -1135],
    ["missing-parameter", "40019", -1141],
    ["invalid-parameter", "40020", -1142],
    ["invalid-client-order-id", "40017", -1180],
    ["insufficient-balance", "43012", -2201],
    ["duplicate-client-order-id", "40017", -2202],
    ["price-outside-band", "43011", -2203],
    ["quantity-below-minimum", "43006", -2204],
    ["notional-below-minimum", "45110", -2204],
    ["quantity-above-maximum", "43006", -2205],
    ["market-not-trading", "43115", -1058],
    ["user-frozen", "40013", -1057],
    ["rate-limited", "429", -1003],
    ["overloaded", "40015", -1000],
    ["missing-order-id", "40913", -1140],
  ];
  for (const [reason, v2, v3] of codes) {
    assert.deepEqual([ERRORS[reason].v2.code, ERRORS[reason].v3.code], [v2, v3], reason);
  }
});

test("contracts have codes of their own, and are v3 in everything else", () => {
  assert.match(errorMessage(refuse("insufficient-margin")), /amount not enough/);
  assert.match(errorMessage(refuse("failed-precondition", "amount")), /^FAILED_PRECONDITION: /);
  const codes: readonly (readonly [RefusalReason, number])[] = [
    ["missing-parameter", -1140],
    ["invalid-parameter", -1140],
    ["malformed", -1140],
    ["missing-order-id", -1140],
    ["malformed-query", -1140],
    ["unknown-asset", -3613],
    ["order-not-found", -3200],
    ["algo-order-not-found", -3200],
    ["insufficient-balance", -3201],
    ["insufficient-margin", -3201],
    ["close-exceeds-position", -3202],
    ["duplicate-client-order-id", -3203],
    ["price-outside-band", -3204],
    ["quantity-below-minimum", -3205],
    ["position-limit", -3206],
    ["would-trigger", -3207],
    ["trigger-on-wrong-side", -3207],
    ["leverage-in-use", -3208],
    ["margin-type-in-use", -3209],
    ["too-many-open-orders", -3210],
    ["would-take", -3211],
    ["leverage-above-maximum", -3313],
    ["quantity-above-maximum", -3007],
    ["no-mark-price", -1054],
    ["index-stale", -1054],
    ["failed-precondition", -1054],
    ["only-opening-orders", -1128],
    ["user-frozen", -1057],
    ["market-not-trading", -1058],
    ["invalid-client-order-id", -1180],
    ["off-tick", -1160],
    ["unknown-symbol", -1121],
  ];
  for (const [reason, code] of codes) assert.deepEqual(ERRORS[reason].capi.code, code, reason);
  const own = new Set<RefusalReason>(codes.map(([reason]) => reason));
  for (const [reason, { v3, capi }] of ENTRIES) {
    assert.equal(capi.status, v3.status, reason);
    if (!own.has(reason) && reason !== "notional-below-minimum") assert.deepEqual(capi, v3, reason);
  }
});

test("a message names the field and what would be accepted", () => {
  assert.equal(
    errorMessage(refuse("missing-parameter", "price", "a limit order needs it")),
    "Parameter is required: price (a limit order needs it)",
  );
  assert.equal(errorMessage(refuse("unknown-key")), "Unknown ACCESS-KEY");
});

test("the family is the path's, and v2 where the path names none", () => {
  const families = ["/api/v3/order", "/capi/v3/x", "/api/v2/x", "/", "", "/other"];
  assert.deepEqual(families.map(familyOfPath), ["v3", "capi", "v2", "v2", "v2", "v2"]);
});

test("the operator API answers every reason of the exchange with a status and a message", () => {
  const expected: readonly (readonly [OperatorReason, number, string])[] = [
    ["unknown-user", 400, "Unknown user"],
    ["unknown-movement", 404, "Unknown movement of funds"],
    ["conflict", 409, "Conflict"],
    ["user-frozen", 409, "The user is frozen"],
    ["insufficient-balance", 409, "Insufficient balance"],
    ["sandbox-only", 409, "Sandbox only: start the exchange with --sandbox"],
    ["overloaded", 503, "The exchange is overloaded, try again"],
  ];
  for (const [reason, status, message] of expected) {
    assert.deepEqual(OPERATOR_ERRORS[reason], { status, message }, reason);
  }
  for (const [reason, { status, message }] of Object.entries(OPERATOR_ERRORS)) {
    assert.ok([202, 400, 401, 403, 404, 409, 429, 500, 503, 504].includes(status), reason);
    assert.match(message, /^\S.*[^.]$/, reason);
  }
});
