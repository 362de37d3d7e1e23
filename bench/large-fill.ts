/**
 * What one command that fills ten thousand resting orders costs everybody else: small orders of
 * other users in another market at a fixed rate, over HTTP, while such commands come one a second.
 * With and without a subscriber of the market that is swept.
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { percentile, runClosedLoop, runOpenLoop } from "./load.ts";
import { OrderFixture } from "./order-fixture.ts";
import type { BenchRow } from "./report.ts";

/** Resting orders that one command fills. */
const MAKERS = 10_000;
/** The first ones are not measured: their code is not compiled yet. */
const SWEEPS = 5;
const WARM_SWEEPS = 2;
const PERIOD_MS = 1_000;
const OTHERS_PER_SECOND = 1_000;
const CONNECTIONS = 64;
const PRICES_PER_SWEEP = 100;
/** Users by their part; the others trade in the other market. */
const MAKING_USERS = 4;
const TAKER = 4;
const OTHER_USERS = [5, 6, 7] as const;
const CHANNELS = ["trade", "depth15", "bookTicker", "ticker"].map((name) => `BTCUSDT@${name}`);

export async function runLargeFillBench(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const isHeard of [false, true]) rows.push(...(await measure(isHeard)));
  return rows;
}

async function measure(isHeard: boolean): Promise<BenchRow[]> {
  const fixture = await OrderFixture.start();
  try {
    await listOtherMarket(fixture);
    const { port } = fixture.ready;
    const resting = Array.from({ length: MAKERS * SWEEPS }, (_, i) => restingOrder(fixture, i));
    const rested = await runClosedLoop(port, resting, CONNECTIONS);
    assert.equal(rested.refused, 0, "every order rests");
    const listener = isHeard ? await listen(port) : null;
    const latenciesMs = await sweepBesideOthers(fixture);
    listener?.close();
    const warm = latenciesMs.subarray((WARM_SWEEPS * PERIOD_MS * OTHERS_PER_SECOND) / 1_000);
    const name = `others beside ${MAKERS} fills${isHeard ? ", heard" : ""}`;
    const note = `worst ${percentile(warm, 1).toFixed(1)} ms`;
    const p50 = percentile(warm, 0.5);
    return [
      { name: `${name}, p50`, value: p50, unit: "ms" },
      { name: `${name}, p99`, value: percentile(warm, 0.99), unit: "ms", note },
    ];
  } finally {
    await fixture.stop();
  }
}

/** Latencies of the other market's orders, in the order in which they were due. */
async function sweepBesideOthers(fixture: OrderFixture): Promise<Float64Array> {
  const { port } = fixture.ready;
  const seconds = (SWEEPS * PERIOD_MS) / 1_000;
  const requests = Array.from({ length: seconds * OTHERS_PER_SECOND }, (_, i) =>
    otherOrder(fixture, i),
  );
  const sweeps = Array.from({ length: SWEEPS }, () => sweepingOrder(fixture));
  const others = runOpenLoop(port, requests, CONNECTIONS, OTHERS_PER_SECOND);
  await sleep(PERIOD_MS / 2);
  for (const sweep of sweeps) {
    const { refused } = await runClosedLoop(port, [sweep], 1);
    assert.equal(refused, 0, "a sweep is taken");
    await sleep(PERIOD_MS);
  }
  const { latenciesMs, refused } = await others;
  assert.equal(refused, 0, "the others are answered");
  return latenciesMs;
}

/** A sweep's orders are all better than those of the next one. */
function restingOrder(fixture: OrderFixture, i: number): Buffer {
  const sweep = Math.floor(i / MAKERS);
  const ticks = sweep * PRICES_PER_SWEEP + (i % PRICES_PER_SWEEP);
  return fixture.signedOrder(i % MAKING_USERS, {
    ...{ symbol: "BTCUSDT", side: "sell", orderType: "limit", force: "normal" },
    ...{ price: (50_000 + ticks / 100).toFixed(2), quantity: "0.001" },
  });
}

function sweepingOrder(fixture: OrderFixture): Buffer {
  return fixture.signedOrder(TAKER, {
    ...{ symbol: "BTCUSDT", side: "buy", orderType: "limit", force: "ioc" },
    ...{ price: "50100", quantity: String(MAKERS / 1_000) },
  });
}

/** Half of them trade. */
function otherOrder(fixture: OrderFixture, i: number): Buffer {
  const buys = i % 2 === 0;
  return fixture.signedOrder(OTHER_USERS[i % OTHER_USERS.length] as number, {
    ...{ symbol: "ETHUSDT", side: buys ? "buy" : "sell", orderType: "limit", force: "normal" },
    ...{ price: buys ? "3000.01" : "3000", quantity: "0.01" },
  });
}

async function listOtherMarket({ ready }: OrderFixture): Promise<void> {
  const call = async (method: string, path: string, body: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${ready.operatorPort}/operator/v1/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ready.operatorToken}`,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  };
  await call("PUT", "assets/ETH", { coinId: 3, name: "Ether", scale: 8 });
  await call("PUT", "markets/spot/ETHUSDT", {
    ...{ baseAsset: "ETH", quoteAsset: "USDT", tickSize: "0.01", stepSize: "0.001" },
    ...{ minTradeAmount: "0.001", maxTradeAmount: "1000", minNotional: "1" },
  });
  for (const user of OTHER_USERS) {
    const deposit = { id: "ETH", account: "spot", asset: "ETH", amount: "100000" };
    await call("POST", `users/${user + 1}/deposits`, deposit);
  }
}

async function listen(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v3/ws/public`);
  await new Promise((resolve, reject) => {
    socket.onmessage = resolve;
    socket.onerror = reject;
    socket.onopen = () => {
      socket.send(JSON.stringify({ method: "SUBSCRIBE", params: CHANNELS, id: 1 }));
    };
  });
  socket.onmessage = null;
  return socket;
}
