/**
 * Proves that the wire names of markets and their internal names correspond one to one, in each
 * family.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  assetToDemo,
  contractFromV2,
  contractToV2,
  symbolFromDemo,
  symbolFromV2,
  symbolToDemo,
  symbolToV2,
} from "./symbols.ts";

test("v2 names: with and without the suffix, in any case", () => {
  for (const text of ["BTCUSDT", "btcusdt", "BTCUSDT_SPBL", "BtcUsdt_spbl"]) {
    assert.equal(symbolFromV2(text), "BTCUSDT");
  }
  for (const text of ["", "BTC-USDT", "BTCUSDT_SPBL_SPBL", "BTCUSDT ", "_SPBL", "x".repeat(33)]) {
    assert.equal(symbolFromV2(text), null, text);
  }
  assert.equal(symbolFromV2(symbolToV2("ETHUSDT")), "ETHUSDT");
});

test("v2 names of contracts: with and without the prefix, in any case", () => {
  for (const text of ["BTCUSDT", "btcusdt", "cmt_btcusdt", "CMT_BTCUSDT", "Cmt_BtcUsdt"]) {
    assert.equal(contractFromV2(text), "BTCUSDT");
  }
  for (const text of ["", "cmt_", "cmt_cmt_btcusdt", "BTCUSDT_SPBL", "cmt-btcusdt"]) {
    assert.equal(contractFromV2(text), null, text);
  }
  assert.equal(contractToV2("ETHUSDT"), "cmt_ethusdt");
  assert.equal(contractFromV2(contractToV2("CMTUSDT")), "CMTUSDT");
});

test("demo names: an S before USDT, also behind a base asset that ends with one", () => {
  for (const [live, demo] of [
    ["BTCUSDT", "BTCSUSDT"],
    ["BUSUSDT", "BUSSUSDT"],
    ["SUSDT", "SSUSDT"],
    ["BTCUSDC", "BTCUSDC"],
  ] as const) {
    assert.equal(symbolToDemo(live), demo);
    assert.equal(symbolFromDemo(demo), live);
  }
  assert.equal(symbolFromDemo("BTCUSDT"), "BTCUSDT", "the live name of most markets is taken too");
  assert.deepEqual(["USDT", "USDC", "BTC"].map(assetToDemo), ["SUSDT", "USDC", "BTC"]);
});
