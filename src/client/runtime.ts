/** What the client needs of the machine that runs it, where not every supported one has it. */

export type SocketClass = typeof WebSocket;

/** The global one without another; browsers and Node 22 have it. Throws where there is none. */
export function socketClass(chosen: SocketClass | undefined): SocketClass {
  const found = chosen ?? (globalThis as { readonly WebSocket?: SocketClass }).WebSocket;
  if (found !== undefined) return found;
  throw new TypeError(
    "There is no WebSocket here: pass one as the option webSocket, such as the package ws.",
  );
}

/**
 * Clock, timers and chance. Tests that run on simulated time pass their own; everybody else has
 * `SYSTEM_RUNTIME`.
 */
export interface ClientRuntime {
  /** Wall clock, in Unix milliseconds. */
  nowMs(): number;
  /** Milliseconds from any origin that never go back: for durations. */
  monotonicMs(): number;
  /** Calls `run` once, after at least `delayMs`. Returns a function that cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /** For generated ids, which must be unique, and for the jitter of waits. */
  randomBytes(count: number): Uint8Array;
}

export const SYSTEM_RUNTIME: ClientRuntime = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};

/** A random part of a wait, from its half to the whole. */
export function jittered(waitMs: number, runtime: ClientRuntime): number {
  const [byte = 0] = runtime.randomBytes(1);
  return waitMs * (0.5 + byte / 510);
}

/** A promise that is settled from outside; Node 22 has `Promise.withResolvers`. */
export function deferred<Value>(): {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
} {
  let settle: { resolve: (value: Value) => void; reject: (error: unknown) => void } | undefined;
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...(settle as NonNullable<typeof settle>) };
}
