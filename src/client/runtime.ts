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
