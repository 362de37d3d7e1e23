/** Proves that holdings are worth their amounts at the last prices, and that none is made up. */
import assert from "node:assert/strict";
import test from "node:test";
import { equityOf } from "./equity.ts";

test("amounts times prices, the quote asset as it is", () => {
  const prices = new Map([
    ["BTCUSDT", "60000"],
    ["NEWUSDT", "0"],
  ]);
  const holdings = [
    { asset: "USDT", amount: "10.5" },
    { asset: "BTC", amount: "0.25" },
    { asset: "NEW", amount: "3" },
    { asset: "ETH", amount: "0" },
  ];
  assert.deepEqual(equityOf(holdings, prices), { value: "15010.5", unpriced: ["NEW"] });
});
