/**
 * Proves when a request is sent again, with a `fetch` that returns prepared replies: reads and
 * repeatable writes after any temporary failure, everything after 429, nothing else, and never more
 * often than allowed. The signature is checked against Node's own HMAC.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { queryText } from "./http-calls.ts";
import { NetworkError, RialtoClient, RialtoError } from "./index.ts";
import { SYSTEM_RUNTIME } from "./runtime.ts";

type Reply = { readonly status: number; readonly text: string; readonly retryAfter?: string };
const OK: Reply = { status: 200, text: "{}" };
const LIMITED: Reply = { status: 429, text: '{"code":-1003,"msg":"Too many requests"}' };
const BUSY: Reply = { status: 503, text: '{"code":-1000,"msg":"overloaded"}', retryAfter: "1" };
const LATE: Reply = { status: 401, text: '{"code":-1046,"msg":"Request timestamp expired"}' };
const REFUSED: Reply = { status: 400, text: '{"code":-2201,"msg":"Balance: quantity (x)"}' };
const FAILED: Reply = { status: 500, text: '{"code":-1000,"msg":"internal error"}' };
const NOT_OURS: Reply = { status: 502, text: "<html>Bad Gateway</html>" };
const LOST = null;
const TIMEOUT_MS = 10_000;

const CREDENTIALS = { apiKey: "key", secret: "secret", passphrase: "phrase" };

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * A client whose requests get the replies in turn; the last reply repeats for ever. Waits end at
 * once.
 */
function client(...replies: (Reply | null)[]) {
  const sent: Sent[] = [];
  const fake = async (url: string, init: Omit<Sent, "url">): Promise<Response> => {
    sent.push({ url, ...init });
    const reply = replies[Math.min(sent.length, replies.length) - 1];
    if (reply === undefined || reply === null) throw new TypeError("fetch failed");
    const { status, text, retryAfter } = reply;
    const headers = retryAfter === undefined ? {} : { "Retry-After": retryAfter };
    return new Response(text, { status, headers });
  };
  const waits: number[] = [];
  const timers = new Set<() => void>();
  const after = (ms: number, run: () => void) => {
    if (ms === TIMEOUT_MS) timers.add(run);
    else {
      waits.push(ms);
      queueMicrotask(run);
    }
    return () => timers.delete(run);
  };
  const made = new RialtoClient({
    baseUrl: "http://exchange/",
    credentials: CREDENTIALS,
    fetch: fake as unknown as typeof fetch,
    runtime: { ...SYSTEM_RUNTIME, after },
  });
  return { client: made, sent, waits, timers };
}

const ORDER = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "1" } as const;

test("reads are repeated after every passing failure, a bounded number of times", async () => {
  for (const failure of [LIMITED, BUSY, FAILED, NOT_OURS, LOST]) {
    const passing = client(failure, failure, OK);
    await passing.client.spot.ping();
    assert.equal(passing.sent.length, 3);

    const lasting = client(failure);
    await assert.rejects(lasting.client.spot.ping(), ({ attempts }: RialtoError) => attempts === 4);
    assert.equal(lasting.sent.length, 4);
    await assert.rejects(lasting.client.spot.ping({ attempts: 1 }));
    assert.equal(lasting.sent.length, 5);
  }
});

test("an order is sent again as the same order", async () => {
  const { client: made, sent } = client(LOST, BUSY, OK);
  await made.spot.placeOrder(ORDER);
  assert.equal(sent.length, 3);
  const ids = new Set(sent.map(({ body }) => JSON.parse(body ?? "").newClientOrderId));
  assert.equal(ids.size, 1);
  assert.match([...ids][0], /^[A-Za-z0-9._:/#-]{1,40}$/);
  await made.spot.placeOrder({ ...ORDER, newClientOrderId: "mine" });
  assert.equal(JSON.parse(sent.at(-1)?.body ?? "").newClientOrderId, "mine");
});

test("what could happen twice is repeated only when it surely did not happen", async () => {
  for (const failure of [BUSY, FAILED, NOT_OURS, LOST]) {
    const { client: made, sent } = client(failure, OK);
    await assert.rejects(made.contract.closePositions());
    await assert.rejects(client(failure).client.spot.cancelOpenOrders({ symbol: "BTCUSDT" }));
    assert.equal(sent.length, 1);
  }
  const { client: made, sent } = client(LIMITED, OK);
  await made.contract.closePositions();
  assert.equal(sent.length, 2);
});

test("refusals are not repeated and say what they are", async () => {
  const { client: made, sent } = client(REFUSED);
  await assert.rejects(made.spot.placeOrder(ORDER), (error: RialtoError) => {
    assert.ok(error instanceof RialtoError);
    const { code, family, status, field, retryAfterMs, attempts } = error;
    assert.deepEqual(
      { code, family, status, field, retryAfterMs, attempts },
      {
        code: -2201,
        family: "v3",
        status: 400,
        field: "quantity",
        retryAfterMs: null,
        attempts: 1,
      },
    );
    return true;
  });
  assert.equal(sent.length, 1);
});

test("waits are at least Retry-After and grow; long ones are the caller's", async () => {
  const { client: made, waits } = client(BUSY);
  await assert.rejects(made.spot.ping());
  assert.equal(waits.length, 3);
  for (const [i, waitMs] of waits.entries()) {
    const backoffMs = 200 * 2 ** i;
    assert.ok(waitMs >= 1000 + backoffMs / 2 && waitMs <= 1000 + backoffMs, `${waits}`);
  }
  const long = client({ ...LIMITED, retryAfter: "60" });
  const rejected = ({ retryAfterMs }: RialtoError) => retryAfterMs === 60_000;
  await assert.rejects(long.client.spot.ping(), rejected);
  assert.equal(long.sent.length, 1);
});

test("no attempt leaves its timeout behind, and a timeout is a network error", async () => {
  for (const reply of [OK, BUSY, LOST]) {
    const { client: made, timers } = client(reply);
    await made.spot.ping().catch(() => undefined);
    assert.equal(timers.size, 0);
  }
  const stuck = (_url: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  const after = (ms: number, run: () => void) => {
    if (ms === TIMEOUT_MS) setImmediate(run);
    return () => undefined;
  };
  const made = new RialtoClient({
    baseUrl: "http://exchange",
    fetch: stuck as unknown as typeof fetch,
    runtime: { ...SYSTEM_RUNTIME, after },
  });
  const asked = made.spot.ping({ attempts: 1 });
  await assert.rejects(asked, { name: "NetworkError", message: /: no answer in 10000 ms$/ });
});

test("what is not of the exchange is a network error", async () => {
  const other = client(NOT_OURS).client.spot.ping({ attempts: 1 });
  await assert.rejects(other, (e: NetworkError) => e instanceof NetworkError && e.status === 502);
  const lost = client(LOST).client.spot.ping({ attempts: 1 });
  await assert.rejects(lost, (e: NetworkError) => e instanceof NetworkError && e.status === null);
});

test("a refused timestamp is cured once by the exchange's time", async () => {
  const serverTime = Date.now() + 3_600_000;
  const time = { status: 200, text: JSON.stringify({ serverTime }) };
  const { client: made, sent } = client(LATE, time, OK);
  await made.spot.account();
  assert.equal(sent.length, 3);
  assert.ok(Math.abs(made.timeOffsetMs - 3_600_000) < 60_000);
  const signed = Number(sent[2]?.headers["ACCESS-TIMESTAMP"]);
  assert.ok(Math.abs(signed - serverTime) < 60_000);

  const lasting = client(LATE, time, LATE);
  await assert.rejects(lasting.client.spot.account(), ({ code }: RialtoError) => code === -1046);
  assert.equal(lasting.sent.length, 3);
});

test("the time is that of the request that was answered, not of those before it", async () => {
  let nowMs = 1_000_000;
  let sent = 0;
  const answers = async (): Promise<Response> => {
    sent++;
    if (sent < 3) {
      nowMs += TIMEOUT_MS;
      throw new TypeError("fetch failed");
    }
    nowMs += 40;
    return new Response('{"serverTime":5000000}');
  };
  const after = (_ms: number, run: () => void) => {
    queueMicrotask(run);
    return () => undefined;
  };
  const made = new RialtoClient({
    baseUrl: "http://exchange/",
    fetch: answers as unknown as typeof fetch,
    runtime: { ...SYSTEM_RUNTIME, nowMs: () => nowMs, after },
  });
  await made.syncTime();
  assert.equal(sent, 3);
  assert.equal(made.timeOffsetMs, 5_000_000 - (nowMs - 20));
});

test("an aborted call is not sent, and not sent again", async () => {
  const before = client(OK);
  const reason = new Error("enough");
  await assert.rejects(before.client.spot.ping({ signal: AbortSignal.abort(reason) }), reason);
  assert.equal(before.sent.length, 0);
  const controller = new AbortController();
  const during = client(LOST);
  const call = during.client.spot.ping({ signal: controller.signal });
  controller.abort(reason);
  await assert.rejects(call, reason);
  assert.ok(during.sent.length <= 1);
});

test("the signature is over what is sent, as Node's own HMAC has it", async () => {
  const { client: made, sent } = client(OK);
  await made.spot.allOrders({ symbol: "A'(B)*!Ü&=", limit: 5 });
  await made.spot.placeOrder(ORDER);
  for (const { url, method, headers, body = "" } of sent) {
    const target = url.slice("http://exchange".length);
    // No URL parser changes it on the way.
    const parsed = new URL(url);
    assert.equal(parsed.pathname + parsed.search, target);
    const text = headers["ACCESS-TIMESTAMP"] + method + target + body;
    const expected = createHmac("sha256", "secret").update(text).digest("base64");
    assert.equal(headers["ACCESS-SIGN"], expected);
    assert.equal(headers["ACCESS-KEY"], "key");
    assert.equal(headers["ACCESS-PASSPHRASE"], "phrase");
  }
});

test("a signature of somebody else's is sent as it is", async () => {
  let headers: Readonly<Record<string, string>> = {};
  const fake = async (_url: string, init: Sent): Promise<Response> => {
    headers = init.headers;
    return new Response("{}");
  };
  const sign = async (text: string) => `signed ${text.slice(13)}`;
  const made = new RialtoClient({
    baseUrl: "http://exchange",
    credentials: { apiKey: "key", passphrase: "phrase", sign },
    fetch: fake as unknown as typeof fetch,
  });
  await made.spot.account();
  assert.equal(headers["ACCESS-SIGN"], "signed GET/api/v3/account/");
});

test("queries leave out what is absent and join lists", () => {
  assert.equal(queryText(undefined), "");
  assert.equal(queryText({ a: undefined, b: null }), "");
  assert.equal(queryText({ symbols: ["A", "B"], limit: 5 }), "?symbols=A%2CB&limit=5");
});

test("a closed client looks at the exchange's time no longer", async () => {
  const signals: AbortSignal[] = [];
  const fake = (_url: string, { signal }: { readonly signal: AbortSignal }): Promise<Response> => {
    signals.push(signal);
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  const made = new RialtoClient({
    baseUrl: "http://exchange/",
    fetch: fake as unknown as typeof fetch,
  });
  const looked = made.syncTime();
  await new Promise((resolve) => setImmediate(resolve));
  made.close();
  await assert.rejects(looked);
  assert.deepEqual(
    signals.map(({ aborted }) => aborted),
    [true],
    "and it is not sent again",
  );
});
