/** Proves that a session which has ended waits for nothing, whatever ended it. */
import assert from "node:assert/strict";
import test from "node:test";
import { type SocketClass, SYSTEM_RUNTIME } from "../runtime.ts";
import { StreamSession } from "./stream-session.ts";

/** Opens, and answers everything, at once. */
class WillingSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  readyState = WillingSocket.CONNECTING;

  constructor() {
    super();
    queueMicrotask(() => {
      this.readyState = WillingSocket.OPEN;
      this.dispatchEvent(new Event("open"));
    });
  }

  send(text: string): void {
    const { id } = JSON.parse(text) as { id: string };
    const data = JSON.stringify({ id, result: true });
    queueMicrotask(() => this.dispatchEvent(new MessageEvent("message", { data })));
  }

  close(): void {
    this.readyState = 3;
  }
}

test("no timer is left when a session ends because of the answer to its probe", async () => {
  const timers = new Set<() => void>();
  const session: StreamSession = new StreamSession({
    socketClass: WillingSocket as unknown as SocketClass,
    runtime: {
      ...SYSTEM_RUNTIME,
      after(_delayMs, run) {
        timers.add(run);
        return () => timers.delete(run);
      },
    },
    url: "ws://exchange.test",
    protocols: [],
    probe: { method: "PONG", everyMs: 60_000 },
    events: { message: () => undefined, latency: () => session.end("too slow") },
  });
  assert.equal(await session.ended, "too slow");
  assert.equal(await session.opened, true);
  await new Promise(setImmediate);
  assert.equal(timers.size, 0);
});
