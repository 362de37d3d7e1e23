/** Proves when a price alert is told, and what of stored alerts is taken. */
import assert from "node:assert/strict";
import test from "node:test";
import { ALERTS_KEY, ALERTS_MAX, PriceAlerts, readAlerts } from "./price-alerts.ts";

// No page draws here.
globalThis.requestAnimationFrame = () => 0;

const SPOT = { product: "spot", symbol: "BTCUSDT" } as const;
const CONTRACT = { product: "contract", symbol: "BTCUSDT" } as const;

function memory(): Pick<Storage, "getItem" | "setItem"> & { readonly text: () => string | null } {
  let kept: string | null = null;
  return {
    getItem: () => kept,
    setItem: (key, value) => {
      assert.equal(key, ALERTS_KEY);
      kept = value;
    },
    text: () => kept,
  };
}

test("an alert is told once, when the price gets there or beyond, from either side", () => {
  const storage = memory();
  const alerts = new PriceAlerts(storage);
  alerts.add(SPOT, "105", "100");
  alerts.add(SPOT, "95", "100");
  alerts.add(CONTRACT, "105", "100");
  const told = (price: string, market: typeof SPOT | typeof CONTRACT = SPOT): string[] =>
    alerts.reached(market, price).map((alert) => alert.price);
  assert.deepEqual(told("104.99"), []);
  assert.deepEqual(told("95.01"), []);
  assert.deepEqual(told("107"), ["105"]);
  assert.deepEqual(told("107"), []);
  assert.deepEqual(told("95"), ["95"]);
  assert.deepEqual(readAlerts(storage.text()), alerts.live.get());
  assert.deepEqual(told("105", CONTRACT), ["105"]);
  assert.deepEqual(alerts.live.get(), []);
});

test("the first price that is seen says from which side it comes", () => {
  const alerts = new PriceAlerts(memory());
  alerts.add(SPOT, "105", null);
  assert.deepEqual(alerts.reached(SPOT, "110"), []);
  assert.equal(alerts.live.get()[0]?.from, "above");
  assert.equal(alerts.reached(SPOT, "104").length, 1);
});

test("a moved alert waits for the new price, and one at the last price is refused", () => {
  const alerts = new PriceAlerts(memory());
  assert.throws(() => alerts.add(SPOT, "100.0", "100"), /The last price is there now/);
  alerts.add(SPOT, "105", "100");
  const [first] = alerts.live.get();
  assert.ok(first !== undefined);
  alerts.move(first.id, "95", "100");
  assert.deepEqual(alerts.reached(SPOT, "106"), []);
  assert.equal(alerts.reached(SPOT, "94").length, 1);
  for (let i = 0; i < ALERTS_MAX; i++) alerts.add(SPOT, String(200 + i), "100");
  assert.throws(() => alerts.add(SPOT, "300", "100"), /remove one first/);
  const ids = new Set(alerts.live.get().map(({ id }) => id));
  assert.equal(ids.size, ALERTS_MAX);
  alerts.remove([...ids][7] ?? "");
  assert.equal(alerts.live.get().length, ALERTS_MAX - 1);
});

test("what others wrote is read with care", () => {
  const good = { id: "1", product: "spot", symbol: "BTCUSDT", price: "1", from: null };
  const wrong = [
    null,
    7,
    { ...good, price: "1e9" },
    { ...good, product: "margin" },
    { ...good, id: 1 },
  ];
  assert.deepEqual(readAlerts(JSON.stringify([...wrong, good])), [good]);
  for (const text of [null, "", "{}", "[", "7"]) assert.deepEqual(readAlerts(text), []);
});
