/**
 * Goal: a gateway's thread that fails or ends by itself ends the process, with its name and reason;
 * one that was told to stop does not. Method: threads that the test ends, behind the real class.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { exchangeConfig } from "../../../test/support/exchange-config.ts";
import { NO_KEY_DESK } from "../../../test/support/exchange-double.ts";
import { NODE_PLATFORM, type Thread } from "../../platform/index.ts";
import { createSharedCounts } from "../public-server.ts";
import { GatewayThreads } from "./gateway-threads.ts";

class ThreadDouble implements Thread {
  readonly posted: unknown[] = [];
  message: (message: unknown) => void = () => undefined;
  error: (error: Error) => void = () => undefined;
  exit: (code: number) => void = () => undefined;

  post(message: unknown): void {
    this.posted.push(message);
    if ((message as { kind?: string } | null)?.kind === "stop") this.exit(0);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.message = listener;
  }

  onError(listener: (error: Error) => void): void {
    this.error = listener;
  }

  onExit(listener: (code: number) => void): void {
    this.exit = listener;
  }

  async terminate(): Promise<void> {}
}

function start() {
  const threads: ThreadDouble[] = [];
  const fatal: string[] = [];
  const start = (): Thread => {
    const thread = new ThreadDouble();
    threads.push(thread);
    return thread;
  };
  const gateways = new GatewayThreads({
    count: 2,
    config: exchangeConfig("unused"),
    platform: { ...NODE_PLATFORM, threads: { start } },
    engine: { submit: () => assert.fail("nobody asks") },
    keys: { directory: { addReplica: () => undefined } } as never,
    keyDesk: NO_KEY_DESK,
    history: { path: "unused", writer: { appliedSequence: 0, onApplied() {} } } as never,
    notReadyBecause: () => null,
    renderMetrics: async () => "",
    counts: createSharedCounts(NODE_PLATFORM.randomness),
    demoAccounts: [],
    log: { warn: () => undefined } as never,
    time: { timestampMs: 1 },
    clock: { clockReading: { wallMs: 0, exchangeMs: 0, speedE3: 1_000 } },
    onFatal: ({ message }) => fatal.push(message),
  });
  const [first, second] = threads;
  assert.ok(first !== undefined && second !== undefined && threads.length === 2);
  return { gateways, first, second, fatal };
}

test("a thread that throws, reports a failure or ends by itself ends the process", async () => {
  const { gateways, first, second, fatal } = start();
  second.error(new Error("out of memory"));
  first.message({ kind: "failed", error: new Error("an invariant") });
  first.exit(1);
  assert.deepEqual(fatal, [
    "gateway-2: out of memory",
    "gateway-1: an invariant",
    "gateway-1: it ended by itself with code 1",
  ]);
  await gateways.close();
});

test("threads that were told to stop may end", async () => {
  const { gateways, fatal } = start();
  await gateways.close();
  assert.deepEqual(fatal, []);
});
