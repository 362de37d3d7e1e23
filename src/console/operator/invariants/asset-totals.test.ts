/** Proves that the page adds up the ledger itself: exactly, and that a missing unit is seen. */
import assert from "node:assert/strict";
import test from "node:test";
import { accountNames, toAssetTotals } from "./asset-totals.ts";

test("every asset is added up over its accounts", () => {
  const totals = {
    BTC: { "spot.available": "1089.9957564", fees: "0.00001359", external: "-1089.99576999" },
    USDT: {
      "spot.available": "399929985.23810567",
      insurance: "1",
      external: "-399929986.23810566",
    },
    NEW: {},
  };
  assert.deepEqual(
    toAssetTotals(totals).map(({ asset, sum, isConserved }) => [asset, sum, isConserved]),
    [
      ["BTC", "0", true],
      ["USDT", "0.00000001", false],
      ["NEW", "0", true],
    ],
  );
  assert.deepEqual(accountNames(totals), ["spot.available", "fees", "external", "insurance"]);
});
