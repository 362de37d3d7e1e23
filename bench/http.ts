/**
 * Signed, durable orders over HTTP, beside a bare node:http server on the same machine in the same
 * run. Both servers are processes of their own; the load comes from this one, so all share the
 * cores. What is synced together is shared by all who wait for it, so the rate is measured with few
 * and with many connections; latency with many, because a client that waits for an answer before
 * its next order is due would be late by itself.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { percentile, runClosedLoop, runOpenLoop } from "./load.ts";
import type { BenchRow } from "./report.ts";

const FEW_CONNECTIONS = 64;
const MANY_CONNECTIONS = 256;
const WARM_UP = 10_000;
const MEASURED = 30_000;
const ROUNDS = 3;
const PATH = "/api/v2/trade/orders";

interface Ready {
  readonly port: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
}

interface Key {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

export async function runHttpBench(): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
  const hello = await startProcess([join(import.meta.dirname, "hello-server.ts")]);
  const exchange = await startProcess([
    join(import.meta.dirname, "../rialto.mjs"),
    "start",
    ...["--port", "0", "--operator-port", "0", "--profile", "empty", "--sandbox"],
    ...["--rate-limits", "off", "--log-level", "warn", "--data-dir", folder],
  ]);
  try {
    const keys = await prepareVenue(exchange.ready);
    return await measure(hello.ready.port, exchange.ready.port, keys);
  } finally {
    for (const { child } of [hello, exchange]) {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    }
    rmSync(folder, { recursive: true });
  }
}

async function measure(
  helloPort: number,
  exchangePort: number,
  keys: readonly Key[],
): Promise<BenchRow[]> {
  await runClosedLoop(helloPort, makeRequests(keys, WARM_UP), FEW_CONNECTIONS);
  await runClosedLoop(exchangePort, makeRequests(keys, WARM_UP), FEW_CONNECTIONS);
  const few = await measureRates(helloPort, exchangePort, keys, FEW_CONNECTIONS);
  const many = await measureRates(helloPort, exchangePort, keys, MANY_CONNECTIONS);
  const half = await runOpenLoop(
    exchangePort,
    makeRequests(keys, MEASURED),
    MANY_CONNECTIONS,
    few.orders / 2,
  );
  return [
    ...rateRows(few, FEW_CONNECTIONS),
    ...rateRows(many, MANY_CONNECTIONS),
    {
      name: "order latency p50",
      value: percentile(half.latenciesMs, 0.5),
      unit: "ms",
      note: AT_HALF,
    },
    {
      name: "order latency p99",
      value: percentile(half.latenciesMs, 0.99),
      unit: "ms",
      note: AT_HALF,
    },
  ];
}

interface Rates {
  readonly hello: number;
  readonly orders: number;
}

/** Medians of rounds in turns, so that both meet the same machine. */
async function measureRates(
  helloPort: number,
  exchangePort: number,
  keys: readonly Key[],
  connections: number,
): Promise<Rates> {
  const helloRates: number[] = [];
  const orderRates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const forHello = makeRequests(keys, MEASURED);
    helloRates.push((await runClosedLoop(helloPort, forHello, connections)).perSecond);
    const orders = await runClosedLoop(exchangePort, makeRequests(keys, MEASURED), connections);
    if (orders.refused > 0) throw new Error(`${orders.refused} orders were refused`);
    orderRates.push(orders.perSecond);
  }
  return { hello: median(helloRates), orders: median(orderRates) };
}

function rateRows({ hello, orders }: Rates, connections: number): BenchRow[] {
  return [
    {
      name: `node:http hello, ${connections} connections`,
      value: Math.round(hello),
      unit: "requests/s",
    },
    {
      name: `signed durable orders, ${connections} connections`,
      value: Math.round(orders),
      unit: "orders/s",
      note: `${(orders / hello).toFixed(2)} of node:http hello`,
    },
  ];
}

const AT_HALF = `open loop at half of the rate of ${FEW_CONNECTIONS} connections`;

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

let orders = 0;

/** Small orders around one price: about half of them trade, and the book stays shallow. */
function makeRequests(keys: readonly Key[], count: number): Buffer[] {
  return Array.from({ length: count }, () => {
    const id = orders++;
    const buys = id % 2 === 0;
    const body = JSON.stringify({
      symbol: "BTCUSDT",
      side: buys ? "buy" : "sell",
      orderType: "limit",
      force: "normal",
      price: buys ? "50000.01" : "50000",
      quantity: "0.001",
      clientOrderId: `bench-${id}`,
    });
    return signedRequest(keys[id % keys.length] as Key, body);
  });
}

function signedRequest({ apiKey, secret, passphrase }: Key, body: string): Buffer {
  const timestamp = String(Date.now());
  const sign = createHmac("sha256", secret)
    .update(`${timestamp}POST${PATH}${body}`)
    .digest("base64");
  return Buffer.from(
    `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `ACCESS-KEY: ${apiKey}\r\nACCESS-SIGN: ${sign}\r\nACCESS-TIMESTAMP: ${timestamp}\r\n` +
      `ACCESS-PASSPHRASE: ${passphrase}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

async function startProcess(
  args: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) return { child, ready: JSON.parse(line) as Ready };
  throw new Error(`${args[0]} ended before it was ready`);
}

/** One market and eight funded users with keys. */
async function prepareVenue({ operatorPort, operatorToken }: Ready): Promise<Key[]> {
  const call = async (method: string, path: string, body: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${operatorPort}/operator/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  await call("PUT", "markets/spot/BTCUSDT", {
    baseAsset: "BTC",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.00001",
    minTradeAmount: "0.00001",
    maxTradeAmount: "1000",
    minNotional: "1",
    maxOpenOrders: 100_000,
  });
  const keys: Key[] = [];
  for (let uid = 1; uid <= 8; uid++) {
    await call("POST", "users", { uid });
    await call("POST", `users/${uid}/deposits`, deposit("USDT", "1000000000"));
    await call("POST", `users/${uid}/deposits`, deposit("BTC", "100000"));
    const key = { permissions: ["spot"], passphrase: "bench" };
    keys.push((await call("POST", `users/${uid}/api-keys`, key)) as Key);
  }
  return keys;
}

function deposit(asset: string, amount: string): object {
  return { id: asset, account: "spot", asset, amount };
}
