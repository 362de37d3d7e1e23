/**
 * Proves that every logon of a client has a timestamp of its own, also while the clock stands
 * still, with a socket that takes all timestamps and a connection for each call.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Signer } from "./credentials.ts";
import { type SocketClass, SYSTEM_RUNTIME } from "./runtime.ts";
import { SocketCalls } from "./socket-calls.ts";

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly timestamp?: string };
}

const HOUR_MS = 3_600_000;

test("no two logons have one timestamp, however slowly the clock goes", async () => {
  const timestamps: number[] = [];
  class WillingSocket extends EventTarget {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    readyState = WillingSocket.OPEN;

    constructor() {
      super();
      queueMicrotask(() => this.dispatchEvent(new Event("open")));
    }

    send(text: string): void {
      const { id, method, params } = JSON.parse(text) as Asked;
      if (method === "session.logon") timestamps.push(Number(params.timestamp));
      const data = JSON.stringify({ id, status: 200, result: {} });
      queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data })));
    }

    close(): void {}
  }
  let nowMs = 0;
  const calls = new SocketCalls({
    baseUrl: "http://exchange.test",
    socketClass: WillingSocket as unknown as SocketClass,
    runtime: SYSTEM_RUNTIME,
    signer: new Signer({ apiKey: "key", secret: "secret", passphrase: "phrase" }),
    nowMs: () => nowMs,
    recover: async () => false,
    timeoutMs: undefined,
    attempts: 1,
  });
  for (const [now, timestamp] of [
    [HOUR_MS, HOUR_MS],
    [HOUR_MS, HOUR_MS + 1],
    [HOUR_MS, HOUR_MS + 2],
    [HOUR_MS + 1, HOUR_MS + 3],
    [HOUR_MS + 9, HOUR_MS + 9],
    [HOUR_MS + 9, HOUR_MS + 10],
    // A second back it was put right, and before that it only stumbled.
    [HOUR_MS - 990, HOUR_MS - 990],
    [HOUR_MS - 1_989, HOUR_MS - 989],
  ] as const) {
    nowMs = now;
    await calls.call("v3-open-orders", {});
    calls.close();
    assert.equal(timestamps.at(-1), timestamp);
  }
});
