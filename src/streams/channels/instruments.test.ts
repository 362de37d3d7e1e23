/** Proves that listings are those of the last event, even behind an older answer. */
import assert from "node:assert/strict";
import test from "node:test";
import { BTC_SPOT } from "../../../test/support/listings.ts";
import { StreamFixture, SYMBOL } from "../../../test/support/stream-fixture.ts";
import type { Event } from "../../protocol/index.ts";
import { Instruments, priceText } from "./instruments.ts";

test("an event that comes ahead of the answer to an earlier question is not undone", async () => {
  const { exchange } = await StreamFixture.open();
  const instruments = new Instruments();
  const loading = instruments.load({ engine: exchange.client });
  instruments.apply({ type: "spot-market-set", ...BTC_SPOT, tickSize: "0.001" } as Event);
  assert.ok(await loading);
  assert.equal(priceText(instruments.market("spot", SYMBOL), 1), "0.001");
  assert.notEqual(priceText(instruments.market("contract", SYMBOL), 1), "0.001");
});

test("nothing is listed any more when it is cleared", async () => {
  const { exchange } = await StreamFixture.open();
  const instruments = new Instruments();
  assert.ok(await instruments.load({ engine: exchange.client }));
  const listed = () => [instruments.has("spot", SYMBOL), instruments.has("contract", SYMBOL)];
  assert.deepEqual(listed(), [true, true]);
  instruments.clear();
  assert.deepEqual(listed(), [false, false]);
  assert.throws(() => instruments.scaleOf("USDT"));
});
