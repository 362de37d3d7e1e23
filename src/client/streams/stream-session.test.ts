/** Proves that a session which has ended waits for nothing and keeps nothing, whatever ended it. */
import assert from "node:assert/strict";
import test from "node:test";
import { type SocketClass, SYSTEM_RUNTIME } from "../runtime.ts";
import { StreamSession } from "./stream-session.ts";

/** Opens, and answers everything, at once. */
class WillingSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSED = 3;
  static last: WillingSocket;
  readyState = WillingSocket.CONNECTING;

  constructor() {
    super();
    WillingSocket.last = this;
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
    this.readyState = WillingSocket.CLOSED;
  }
}

const OPTIONS = {
  socketClass: WillingSocket as unknown as SocketClass,
  runtime: SYSTEM_RUNTIME,
  url: "ws://exchange.test",
  protocols: [],
  probe: { method: "PONG", everyMs: 60_000 },
  events: { message: () => undefined, latency: () => undefined },
} as const;

test("no timer is left when a session ends because of the answer to its probe", async () => {
  const timers = new Set<() => void>();
  const session: StreamSession = new StreamSession({
    ...OPTIONS,
    runtime: {
      ...SYSTEM_RUNTIME,
      after(_delayMs, run) {
        timers.add(run);
        return () => timers.delete(run);
      },
    },
    events: { ...OPTIONS.events, latency: () => session.end("too slow") },
  });
  assert.equal(await session.ended, "too slow");
  assert.equal(await session.opened, true);
  await new Promise(setImmediate);
  assert.equal(timers.size, 0);
});

test("a session that ends closes its socket, connected or not yet", async () => {
  for (const isConnected of [true, false]) {
    const session = new StreamSession(OPTIONS);
    if (isConnected) assert.ok(await session.opened);
    session.end("not needed any more");
    assert.equal(WillingSocket.last.readyState, WillingSocket.CLOSED);
  }
});
