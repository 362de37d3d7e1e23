/**
 * Proves that the metrics report what the engine counted in this run, as numbers that Prometheus
 * can parse, and keep their values while the exchange does not answer.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Registry } from "@prometheus-io/client";
import { NODE_PLATFORM } from "../platform/index.ts";
import type { MarketIntegrityView } from "../protocol/index.ts";
import { IntegrityMetrics } from "./integrity-metrics.ts";

const MARKET: MarketIntegrityView["markets"][number] = {
  symbol: "BTCUSDT",
  indexSource: "operator",
  indexAgeMs: 1_500,
  isStale: false,
  drawsUsed: 0.25,
  liquidations: 3,
  deleveragings: 2,
  refusedFills: 5,
  refusedOrders: 7,
  insurancePaid: "10.5",
};

function view(changes: Partial<typeof MARKET>): MarketIntegrityView {
  return { funds: [{ asset: "USDT", balance: "1000.25" }], markets: [{ ...MARKET, ...changes }] };
}

/** The metrics' lines, sorted by name, without the explanations. */
async function pageOf(registry: Registry): Promise<string[]> {
  const lines = (await registry.metrics()).split("\n");
  return lines.filter((line) => line !== "" && !line.startsWith("#")).sort();
}

test("a page says what was counted since the start", async () => {
  const registry = new Registry();
  const answers: (MarketIntegrityView | null)[] = [
    // Counted during the replay of the journal.
    view({ liquidations: 1, insurancePaid: "0.5" }),
    view({}),
    null,
    view({ indexSource: "spot", liquidations: 4, drawsUsed: null, isStale: true }),
    view({ indexAgeMs: null }),
  ];
  const metrics = new IntegrityMetrics(
    registry,
    async () => answers.shift() ?? null,
    NODE_PLATFORM.clock,
    0,
  );
  await metrics.refresh();
  const first = [
    'rialto_deleveragings_total{symbol="BTCUSDT"} 0',
    'rialto_fills_refused_total{symbol="BTCUSDT"} 0',
    'rialto_index_age_seconds{symbol="BTCUSDT",source="operator"} 1.5',
    'rialto_index_stale{symbol="BTCUSDT"} 0',
    'rialto_insurance_draw_used{symbol="BTCUSDT"} 0.25',
    'rialto_insurance_fund{asset="USDT"} 1000.25',
    'rialto_insurance_paid_total{symbol="BTCUSDT"} 10',
    'rialto_liquidations_total{symbol="BTCUSDT"} 2',
    'rialto_orders_refused_total{symbol="BTCUSDT"} 0',
  ];
  assert.deepEqual(await pageOf(registry), first);
  await metrics.refresh();
  assert.deepEqual(await pageOf(registry), first, "a busy exchange says what it said");
  await metrics.refresh();
  const third = await pageOf(registry);
  assert.ok(third.includes('rialto_index_age_seconds{symbol="BTCUSDT",source="spot"} 1.5'));
  assert.ok(third.includes('rialto_liquidations_total{symbol="BTCUSDT"} 3'));
  assert.ok(third.includes('rialto_index_stale{symbol="BTCUSDT"} 1'));
  assert.ok(!third.some((line) => /draw_used|source="operator"/.test(line)), third.join());
  await metrics.refresh();
  assert.ok(!(await pageOf(registry)).some((line) => line.includes("index_age")));
});

test("many pages at once cost the engine one question, and count everything once", async () => {
  const registry = new Registry();
  let asked = 0;
  const ask = async () => view({ liquidations: asked++ === 0 ? 0 : 3 });
  const metrics = new IntegrityMetrics(
    registry,
    ask,
    NODE_PLATFORM.clock,
    Number.POSITIVE_INFINITY,
  );
  await Promise.all(Array.from({ length: 100 }, () => metrics.refresh()));
  assert.equal(asked, 2, "one before the run, one now");
  assert.ok((await pageOf(registry)).includes('rialto_liquidations_total{symbol="BTCUSDT"} 3'));
});
