/**
 * Proves which rejected handshakes end a stream, with sockets that never open and prepared replies
 * to the question why: a key that is no good ends it; a timestamp does not, because the exchange's
 * clock or this one may be right a moment later.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RialtoClient } from "../index.ts";
import { type SocketClass, SYSTEM_RUNTIME } from "../runtime.ts";

class RefusedSocket extends EventTarget {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  readonly readyState = 3;

  constructor() {
    super();
    queueMicrotask(() => this.dispatchEvent(new Event("error")));
  }
}

function soon(_ms: number, run: () => void): () => void {
  const immediate = setImmediate(run);
  return () => clearImmediate(immediate);
}

/** The names of its states, until it is closed or has tried that often. */
function statesOf(
  code: number,
  attemptsMax: number,
  transport: "http" | "websocket" = "http",
): Promise<string[]> {
  const replies = async (url: string): Promise<Response> => {
    if (url.endsWith("/time")) return new Response(`{"serverTime":${Date.now()}}`);
    return new Response(`{"code":${code},"msg":"refused"}`, { status: 401 });
  };
  const client = new RialtoClient({
    baseUrl: "http://exchange",
    credentials: { apiKey: "key", passphrase: "phrase", sign: () => "signed" },
    fetch: replies as unknown as typeof fetch,
    transport,
    webSocket: RefusedSocket as unknown as SocketClass,
    runtime: { ...SYSTEM_RUNTIME, after: soon },
  });
  const stream = client.streams.spotAccount();
  const names: string[] = [];
  return new Promise((resolve) => {
    stream.onState(({ attempt, name }) => {
      names.push(name);
      if (attempt === attemptsMax) stream.close();
      if (name === "closed") resolve(names);
    });
    stream.orders();
  });
}

test("a rejected key ends a stream, a rejected timestamp does not", async () => {
  assert.deepEqual(await statesOf(-1047, 4), ["connecting", "connecting", "closed"]);
  const names = await statesOf(-1046, 4);
  assert.deepEqual(names.slice(0, 4), ["connecting", "connecting", "connecting", "connecting"]);
});

test("why a handshake is rejected a session that is logged on is not asked", async () => {
  const names = await statesOf(-1047, 4, "websocket");
  assert.deepEqual(names, ["connecting", "connecting", "closed"]);
});

test("who listens to a channel that has ended is told so, and why", async () => {
  const replies = async () => new Response('{"code":-1047,"msg":"refused"}', { status: 401 });
  const client = new RialtoClient({
    baseUrl: "http://exchange",
    credentials: { apiKey: "key", passphrase: "phrase", sign: () => "signed" },
    fetch: replies as unknown as typeof fetch,
    webSocket: RefusedSocket as unknown as SocketClass,
    runtime: { ...SYSTEM_RUNTIME, after: soon },
  });
  const stream = client.streams.spotAccount();
  const [refused, closed] = [stream.orders(), stream.fills()];
  closed.close();
  await assert.rejects(refused.ready);
  const told: (string | null)[] = [];
  for (const one of [refused, closed]) {
    one.listen(
      () => assert.fail("nothing comes any more"),
      (error) => told.push(error === null ? null : error.name),
    );
  }
  assert.deepEqual(told, ["StreamError", null]);
});
