/** Proves that entries of the audit log read as sentences, with exact numbers and the reason. */
import assert from "node:assert/strict";
import test from "node:test";
import { auditSentence } from "./audit-sentences.ts";

const SENTENCES: readonly (readonly [action: string, details: object, sentence: string])[] = [
  [
    "contract-market-state-set",
    { symbol: "BTCUSDT", state: "halted", reason: "exchange upgrade" },
    "ann halted contract BTCUSDT: exchange upgrade",
  ],
  [
    "spot-market-state-set",
    { symbol: "ETHUSDT", state: "cancel-only" },
    "ann set spot ETHUSDT to cancel-only",
  ],
  [
    "fee-rates-set",
    { uid: 7, product: "spot", symbol: null, makerFeeRate: "0.001", takerFeeRate: "0.00055" },
    "ann set the fee rates of user 7 in all spot markets: maker 0.1%, taker 0.055%",
  ],
  [
    "funds-moved",
    { uid: 7, asset: "USDT", amount: "12.5", from: null, to: "spot" },
    "ann deposited 12.5 USDT into the spot wallet of user 7",
  ],
  [
    "insurance-moved",
    { asset: "USDT", delta: "-3" },
    "ann withdrew 3 USDT from the insurance fund",
  ],
  ["clock-advanced", { byMs: 90_500 }, "ann advanced the clock by 90.5 s"],
  ["clock-set", { timeMs: 0, speedE3: 0 }, "ann set the clock to 1970-01-01T00:00:00Z, frozen"],
  [
    "funding-rate-set",
    { symbol: "BTCUSDT", rate: "-0.0125" },
    "ann set the next funding rate of BTCUSDT to -1.25%",
  ],
  [
    "affiliate-set",
    { uid: 9, spotRate: "1", futuresRate: "0.3" },
    "ann set the rates of affiliate 9: spot 100%, futures 30%",
  ],
  [
    "approval-rule-set",
    { action: "withdrawals", asset: "USDT", above: "1000" },
    "ann required a second operator for withdrawals of USDT above 1000",
  ],
  [
    "withdrawal-changed",
    { withdrawalId: 3, amount: "5", asset: "USDT", uid: 7, state: "sent", note: "0xabc" },
    "ann recorded as sent withdrawal 3, 5 USDT of user 7: 0xabc",
  ],
  [
    "proposal-changed",
    { proposalId: 2, what: "deposit 5 USDT", state: "approved", note: "" },
    "ann approved proposal 2, “deposit 5 USDT”",
  ],
];

test("entries as sentences", () => {
  for (const [action, details, sentence] of SENTENCES) {
    assert.equal(auditSentence("ann", action, details as never), sentence);
  }
});
