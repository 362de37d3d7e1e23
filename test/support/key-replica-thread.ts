/**
 * A gateway's thread for the tests of key replicas: looks at all keys again and again, and compares
 * them with what the operator was told.
 */
import { parentPort, workerData } from "node:worker_threads";
import { openKeyReplica } from "../../src/keys/index.ts";
import {
  DEAD,
  type ReplicaFindings,
  type ReplicaOrder,
  type ReplicaStart,
} from "./key-replica-messages.ts";
import { Random } from "./random.ts";

const { port, states: memory, known, seed } = workerData as ReplicaStart;
const random = new Random(seed);
const states = new Int32Array(memory);
const keys = [...known];
const wrong: string[] = [];
const asleep = new Int32Array(new SharedArrayBuffer(4));
let isEnding = false;

parentPort?.on("message", (order: ReplicaOrder) => {
  if (order.type === "look") keys.push(order.apiKey);
  else isEnding = true;
});
const replica = await openKeyReplica(port);

function look(index: number, apiKey: string): void {
  const before = Atomics.load(states, index);
  const key = replica.find(apiKey);
  const after = Atomics.load(states, index);
  if (before === DEAD && key !== null) wrong.push(`key ${index} is dead and was found`);
  if (before <= 0 || after <= 0) return;
  if (key === null) wrong.push(`key ${index} lives and was not found`);
  else if ((key.expiresAtMs ?? 0) < before) wrong.push(`key ${index} is older than ${before}`);
}

let looks = 0;
while (!isEnding) {
  for (const [index, apiKey] of keys.entries()) look(index, apiKey);
  looks++;
  // A busy thread gets its messages late.
  if (random.chance(0.1)) Atomics.wait(asleep, 0, 0, random.integer(1, 3));
  await new Promise((resolve) => setImmediate(resolve));
}
const found = keys.flatMap((apiKey) => {
  const key = replica.find(apiKey);
  if (key === null) return [];
  const { uid, permissions, ipAllowList, expiresAtMs } = key;
  const secret = key.secret.export().toString("utf8");
  return [[apiKey, { apiKey, uid, permissions, ipAllowList, expiresAtMs, secret }] as const];
});
const findings: ReplicaFindings = { wrong: wrong.slice(0, 10), looks, keys: found };
parentPort?.postMessage(findings);
