/**
 * What a restore of a sandbox costs, over HTTP: at 1,000 resting orders of 100 users, with some
 * trading between two restores, and a reset of an empty exchange, as tests do between each other.
 */
import { RialtoClient } from "../src/client/index.ts";
import { startExchange, type TestExchange } from "../src/testing/index.ts";
import { type BenchRow, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";

const USERS = 100;
const ORDERS = 1_000;
const RESTORES = scaled(30, 3);
const CHANGES = 20;

export async function runRestoreBench(): Promise<readonly BenchRow[]> {
  await using exchange = await startExchange({
    spot: ["BTCUSDT"],
    flags: ["--gateways", "0"],
  });
  const reset = await median(async () => {
    await changeSomething(exchange);
    return () => exchange.reset();
  });
  const clients = await traders(exchange);
  const made = performance.now();
  const checkpoint = await exchange.checkpoint();
  const checkpointMs = performance.now() - made;
  const restore = await median(async () => {
    for (let i = 0; i < CHANGES; i++) await rest(clients[i % USERS] as Client, i);
    return () => exchange.restore(checkpoint);
  });
  return [
    targetRow("restore", restore, `${ORDERS} orders, ${USERS} users, ${RESTORES} restores`),
    { name: "reset of an empty exchange, median", value: reset, unit: "ms" },
    { name: "checkpoint of the same", value: checkpointMs, unit: "ms" },
  ];
}

async function median(prepare: () => Promise<() => Promise<unknown>>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < RESTORES; i++) {
    const work = await prepare();
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  times.sort((one, other) => one - other);
  return times[times.length >> 1] as number;
}

async function changeSomething(exchange: TestExchange): Promise<void> {
  await exchange.createUser({ spot: { USDT: "1000" } });
}

type Client = RialtoClient;

async function traders(exchange: TestExchange): Promise<readonly Client[]> {
  const clients: Client[] = [];
  for (let i = 0; i < USERS; i++) {
    const credentials = await exchange.createUser({ spot: { USDT: "10000000" } });
    clients.push(new RialtoClient({ baseUrl: exchange.url, credentials }));
  }
  for (let i = 0; i < ORDERS; i++) await rest(clients[i % USERS] as Client, i);
  return clients;
}

async function rest(client: Client, i: number): Promise<void> {
  const price = String(50_000 + (i % 500));
  const terms = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" } as const;
  await client.spot.placeOrder({ ...terms, quantity: "0.01", price });
}
