/**
 * Proves that the page adds up the ledger itself: exactly, that a missing unit is seen and stands
 * first, and that accounts without anything are counted instead of listed.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { toAssetTotals } from "./asset-totals.ts";

const TOTALS = {
  BTC: { "spot.available": "1089.9957564", fees: "0.00001359", external: "-1089.99576999" },
  USDT: {
    "spot.available": "399929985.23810567",
    insurance: "1",
    "funding-clearing": "0",
    external: "-399929986.23810566",
  },
  NEW: {},
};

test("every asset is added up over its accounts, what is wrong first", () => {
  assert.deepEqual(
    toAssetTotals(TOTALS).map(({ asset, sum, isConserved }) => [asset, sum, isConserved]),
    [
      ["USDT", "0.00000001", false],
      ["BTC", "0", true],
      ["NEW", "0", true],
    ],
  );
});

test("accounts with something are listed, the others counted", () => {
  const [usdt, btc] = toAssetTotals(TOTALS);
  const accounts = usdt?.filled.map(({ account }) => account);
  assert.deepEqual(accounts, ["spot.available", "insurance", "external"]);
  assert.equal(usdt?.empty, 1);
  assert.equal(btc?.empty, 0);
});
