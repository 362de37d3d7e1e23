/**
 * Goal: the log has the last 10,000 requests of all gateways in their order, and pages of it have
 * each request once. Method: random gateways log and random pages are read, against a plain list.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../test/support/random.ts";
import { FaultMemory } from "./fault-memory.ts";
import { FaultRegistry } from "./fault-registry.ts";
import { RequestLog } from "./request-log.ts";

const random = seededRandom("faults/request-log");
const KEPT = 10_000;

test("pages of the log of several gateways are its last requests, each once", async () => {
  const memory = new FaultMemory();
  const logs = [0, 1, 2].map(() => new RequestLog(memory));
  const registry = new FaultRegistry({
    memory,
    monotonicMs: () => 0,
    callGateways: async (call) => {
      assert.ok(call.kind === "requests");
      return logs.map((log) => log.find(call.question));
    },
  });
  const uids: number[] = [];
  for (const more of [0, 10, 9_000, 5_000, 30_000]) {
    for (let i = 0; i < more; i++) {
      const uid = random.integer(1, 3);
      uids.push(uid);
      random.pick(logs).add({
        time: 0,
        transport: "http",
        route: "GET /api/v3/time",
        method: null,
        uid,
        apiKey: "",
        address: "",
        status: 200,
        code: null,
        ms: 0,
        fault: null,
      });
    }
    for (const uid of [null, 1, 3]) {
      const read: number[] = [];
      const limit = random.integer(100, 1_000);
      for (let after = 0, isLast = false; !isLast; ) {
        const { items } = await registry.requests({ after, uid, limit });
        read.push(...items.map(({ id }) => id));
        isLast = items.length < limit;
        after = items.at(-1)?.id ?? after;
      }
      const all = uids.map((_, i) => i + 1).slice(-KEPT);
      assert.deepEqual(
        read,
        all.filter((id) => uid === null || uids[id - 1] === uid),
      );
    }
  }
});
