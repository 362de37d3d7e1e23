/**
 * What fault rules cost requests that they do not meet: none set, one set and removed, and one for
 * another user, in turns over the same connections' worth of load.
 */
import { startExchange, type TestExchange } from "../src/testing/index.ts";
import { runClosedLoop } from "./load.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";

const ROUNDS = 9;
const REQUESTS = scaled(20_000, 500);
const CONNECTIONS = 16;

export async function runFaultBench(): Promise<readonly BenchRow[]> {
  await using exchange = await startExchange({ flags: ["--gateways", "0"] });
  const stranger = await exchange.createUser();
  await perSecond(exchange);
  const never: number[] = [];
  const removed: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    never.push(await perSecond(exchange));
    await exchange.faults.set("bench", rule(stranger.uid));
    others.push(await perSecond(exchange));
    await exchange.faults.clear();
    removed.push(await perSecond(exchange));
  }
  const note = `${ROUNDS} rounds of ${REQUESTS} requests`;
  const ratio = median(removed) / median(never);
  return [
    targetRow("faultRules", ratio, note),
    { name: "with a rule for another user", value: median(others) / median(never), unit: "" },
  ];
}

const rule = (uid: number) => ({ match: { uid }, fault: { kind: "drop-request" } }) as const;

async function perSecond({ url }: TestExchange): Promise<number> {
  const { host, port } = new URL(url);
  const request = Buffer.from(`GET /api/v3/time HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  const requests = Array.from({ length: REQUESTS }, () => request);
  const load = await runClosedLoop(Number(port), requests, CONNECTIONS);
  return load.perSecond;
}
