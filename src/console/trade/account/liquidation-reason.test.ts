/** Proves that a hedged account is told why a liquidation price is missing or moves. */
import assert from "node:assert/strict";
import test from "node:test";
import { liquidationReason } from "./liquidation-reason.ts";

const LONG = {
  symbol: "BTCUSDT",
  side: "LONG",
  size: "0.5",
  marginType: "CROSSED",
  liquidatePrice: "0",
} as const;
const SHORT = { ...LONG, side: "SHORT" } as const;
const ETH = { ...LONG, symbol: "ETHUSDT", size: "3" } as const;

type Positions = Parameters<typeof liquidationReason>[1];

/** Of the first. */
const reasonOf = (all: Positions): string => liquidationReason(all[0] ?? LONG, all).join(" ");

test("a full hedge has no price, and others can still take the account", () => {
  assert.match(reasonOf([LONG, SHORT]), /offset each other: what one loses, the other gains/);
  assert.match(reasonOf([LONG, SHORT]), /No price of BTCUSDT/);
  assert.doesNotMatch(reasonOf([LONG, SHORT]), /ETHUSDT/);
  assert.match(reasonOf([LONG, SHORT, ETH]), /Losses in ETHUSDT still can/);
});

test("a partial hedge names the side that is left", () => {
  const part = { ...SHORT, size: "0.2", liquidatePrice: "0" } as const;
  assert.match(reasonOf([{ ...LONG, liquidatePrice: "60000" }, part]), /0.3 long, is on this side/);
  assert.match(reasonOf([part, LONG]), /0.3 long, is on the other side/);
});

test("unhedged: covered at any price, or dependent on the other markets", () => {
  assert.match(reasonOf([LONG]), /equity covers this long at any price of BTCUSDT/);
  const priced = { ...LONG, liquidatePrice: "60000" } as const;
  assert.match(reasonOf([priced, ETH]), /holds while ETHUSDT and the wallet stay/);
  assert.match(
    reasonOf([{ ...priced, marginType: "ISOLATED" }]),
    /Only this position's own margin/,
  );
});
