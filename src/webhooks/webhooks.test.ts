/**
 * Proves that every event reaches a receiver at least once, in order and signed, whatever the
 * receiver does and whenever the sender is stopped: a real server refuses, hangs, answers late,
 * with errors, redirects and garbage, closes in the middle and speaks no TLS, and the sender is
 * killed (its last positions are lost, as in a power cut) and started again. The receiver takes
 * what it answered 2xx for; what it took has all numbers without a gap, and each is what the
 * history has. Time is simulated, so that no test waits for a back-off.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { waitUntil } from "../../test/support/wait-until.ts";
import { NODE_PLATFORM, type Timer } from "../platform/index.ts";
import type { EngineClient, WebhookView } from "../protocol/index.ts";
import type { HistoryPort } from "../queries/history-port.ts";
import { createPost, type Post, type PostOutcome, WebhookStore, Webhooks } from "./index.ts";

const random = seededRandom("webhook deliveries");
/** Of a request; the receiver hangs for longer. */
const TIMEOUT_MS = 150;

interface SentEvent {
  readonly number: number;
  readonly type: string;
  readonly uid: number | null;
  readonly data: { readonly value: number };
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const FAILURES: Readonly<Record<string, Behaviour>> = {
  refuses: ({ socket }) => socket.resetAndDestroy(),
  hangs: () => undefined,
  "answers after the timeout": (_, response) => {
    setTimeout(() => response.end(), 2 * TIMEOUT_MS).unref();
  },
  "fails with 500": (_, response) => response.writeHead(500).end("no"),
  redirects: (_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
  "is not modified": (_, response) => response.writeHead(304).end(),
  "talks garbage": ({ socket }) => void socket.end("\x00\x01 hello\r\n\r\n"),
  "closes in the head": ({ socket }) => void socket.end("HTTP/1.1 200 OK\r\nContent-Le"),
  "has an endless head": ({ socket }) =>
    void socket.end(`HTTP/1.1 200 OK\r\nA: ${"x".repeat(99_999)}`),
  "switches protocols": ({ socket }) =>
    void socket.end("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
};

/** A receiver as the documentation says: it verifies, and skips the numbers that it knows. */
class Receiver {
  secret = "";
  readonly taken: SentEvent[] = [];
  /** Requests that were answered badly, by how. */
  readonly failures = new Map<string, number>();
  repeated = 0;
  chanceOfFailure = 0.6;
  /** None comes again before all others have: how many there are depends on the machine. */
  #failuresLeft: string[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("error", () => undefined);
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => this.#receive(request, response, Buffer.concat(chunks)));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #receive(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    this.#verify(request, body);
    const { events } = JSON.parse(body.toString()) as { events: SentEvent[] };
    if (random.chance(this.chanceOfFailure)) {
      const name = this.#nextFailure();
      this.failures.set(name, (this.failures.get(name) ?? 0) + 1);
      // Some take what they then fail to answer for.
      if (random.chance(0.3)) this.#take(events);
      FAILURES[name]?.(request, response);
      return;
    }
    this.#take(events);
    // What follows the head is the receiver's own affair.
    response.writeHead(random.pick([200, 202, 204]));
    if (random.chance(0.5)) response.end();
    else response.destroy();
  }

  #nextFailure(): string {
    if (this.#failuresLeft.length === 0) this.#failuresLeft = random.shuffle(Object.keys(FAILURES));
    return this.#failuresLeft.pop() ?? "";
  }

  #verify({ headers }: IncomingMessage, body: Buffer): void {
    const time = String(headers["x-rialto-timestamp"]);
    const signed = createHmac("sha256", this.secret).update(`${time}.`).update(body).digest("hex");
    assert.equal(headers["x-rialto-signature"], `sha256=${signed}`);
  }

  #take(events: readonly SentEvent[]): void {
    for (const event of events) {
      const last = this.taken.at(-1)?.number ?? 0;
      assert.ok(event.number <= last + 1, `${event.number} came after ${last}`);
      if (event.number <= last) this.repeated++;
      else this.taken.push(event);
    }
  }
}

/** A venue's side: a history that grows, and senders that come and go on one folder. */
class Venue {
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-webhooks-"));
  readonly webhook: WebhookView;
  settings: WebhookView[];
  /** How often the engine is too busy to say them. */
  busy = 0;
  /** How many events there are. */
  last = 0;
  /** How long the senders have slept, besides. */
  skippedMs = 0;
  #wake: () => void = () => undefined;
  #store: WebhookStore | null = null;
  #webhooks: Webhooks | null = null;

  constructor(url: string) {
    const about = { kinds: ["deposits" as const], accounts: [], isPaused: false, addedMs: 1 };
    this.webhook = { webhookId: "wh_1", url, ...about };
    this.settings = [this.webhook];
  }

  get webhooks(): Webhooks {
    assert.ok(this.#webhooks !== null);
    return this.#webhooks;
  }

  /** With `post`, only `tick` makes it send. */
  async start({ post }: { readonly post?: Post } = {}): Promise<Webhooks> {
    const { clock, scheduler } = NODE_PLATFORM;
    const history: HistoryPort = {
      query: async (_, question) => {
        const { afterNumber, limit } = question as unknown as {
          afterNumber: number;
          limit: number;
        };
        if (post === undefined && random.chance(0.05)) return { unavailable: "overloaded" };
        const count = Math.max(0, Math.min(limit, this.last - afterNumber));
        const events = Array.from({ length: count }, (_each, i) => eventOf(afterNumber + 1 + i));
        return { answer: { lastNumber: this.last, events } as never, sequence: 0 };
      },
    };
    this.#store = new WebhookStore(this.folder);
    this.#webhooks = new Webhooks({
      engine: {
        query: async () => {
          if (this.busy === 0) return { ok: true, value: this.settings };
          this.busy--;
          return { ok: false, unavailable: "overloaded" };
        },
      } as unknown as EngineClient,
      platform: {
        ...NODE_PLATFORM,
        scheduler: post === undefined ? scheduler : { ...scheduler, every: this.#every },
        clock: { ...clock, monotonicMs: () => clock.monotonicMs() + this.skippedMs },
      },
      targets: "public",
      store: this.#store,
      history,
      historySequence: () => this.last,
      post:
        post ??
        createPost(
          "public",
          { network: NODE_PLATFORM.network, scheduler },
          { timeoutMs: TIMEOUT_MS },
        ),
      venueId: "venue",
      warn: () => undefined,
    });
    await this.#webhooks.refresh();
    return this.#webhooks;
  }

  readonly #every = (_: number, run: () => void): Timer => {
    this.#wake = run;
    return { cancel: () => undefined };
  };

  /** It is time, and all that this begins ends. */
  async tick(): Promise<void> {
    this.#wake();
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** As after a kill -9 or a power cut, which takes the last positions with it. */
  stop(): void {
    this.#webhooks?.stop();
    const known = this.#store?.find("wh_1") ?? null;
    if (known !== null && random.chance(0.3)) {
      void this.#store?.moveTo("wh_1", Math.max(0, known.position - random.integer(1, 30)));
    }
    this.#store?.close();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function eventOf(number: number) {
  const data = JSON.stringify({ value: number * 3 });
  return { number, sequence: number, timeMs: 1, type: "t", uid: number % 2, data };
}

async function open(t: TestContext): Promise<{ receiver: Receiver; venue: Venue }> {
  const receiver = new Receiver();
  const port = await receiver.listen();
  const venue = new Venue(`http://127.0.0.1:${port}/hook`);
  const webhooks = await venue.start();
  receiver.secret = (await webhooks.newSecret("wh_1", null)).secret;
  t.after(() => {
    receiver.close();
    venue.stop();
    venue.remove();
  });
  return { receiver, venue };
}

test("every event arrives in order, signed, through failures and restarts", async (t) => {
  const { receiver, venue } = await open(t);
  let restarts = 0;
  for (let round = 0; round < scaled(20); round++) {
    venue.last += random.integer(1, random.pick([3, 250]));
    for (let naps = 0; naps < 3; naps++) {
      // Longer than any back-off.
      venue.skippedMs += 1_000_000;
      await new Promise((resolve) => setTimeout(resolve, random.integer(0, 120)));
    }
    if (random.chance(0.4) || round % 5 === 4) {
      venue.stop();
      await venue.start();
      restarts++;
    }
  }
  receiver.chanceOfFailure = 0;
  await waitUntil("the receiver has everything", async () => {
    venue.skippedMs += 1_000_000;
    return receiver.taken.length === venue.last;
  });
  for (const [i, event] of receiver.taken.entries()) {
    const expected = { number: i + 1, type: "t", uid: (i + 1) % 2 || null, time: 1 };
    const at = { sequence: i + 1, data: { value: (i + 1) * 3 } };
    assert.deepEqual(event as unknown, { ...expected, ...at });
  }
  await waitUntil("the position is kept", async () => {
    const status = await venue.webhooks.status("wh_1");
    return status?.deliveredNumber === venue.last && status.failures === 0;
  });
  const met = [...receiver.failures].map(([name, count]) => `${name} ${count}`).join(", ");
  t.diagnostic(`${venue.last} events, ${receiver.repeated} repeated, ${restarts} restarts; ${met}`);
  assert.ok(receiver.failures.size >= 8 && receiver.repeated > 0 && restarts > 2);
});

test("after failures it waits longer and longer, and says what is wrong", async (t) => {
  const venue = new Venue("http://127.0.0.1:1/");
  let tries = 0;
  let outcome: PostOutcome = { status: 500 };
  const post = async () => {
    tries++;
    return outcome;
  };
  const webhooks = await venue.start({ post });
  t.after(() => {
    venue.stop();
    venue.remove();
  });
  await webhooks.newSecret("wh_1", null);
  venue.last = 2;
  for (let failures = 1; failures <= 12; failures++) {
    await venue.tick();
    assert.equal(tries, failures);
    const status = await webhooks.status("wh_1");
    assert.partialDeepStrictEqual(status, { failures, lastError: "answered 500" });
    assert.ok((status?.failingSinceMs ?? 0) > 0);
    const [newest] = await webhooks.deliveries("wh_1", 1_000, 1);
    assert.partialDeepStrictEqual(newest, { attempt: failures, firstNumber: 1, lastNumber: 2 });
    const backOffMs = Math.min(1_000 * 2 ** (failures - 1), 600_000);
    venue.skippedMs += backOffMs - 500;
    await venue.tick();
    assert.equal(tries, failures, "nothing is tried before its time");
    // Half as long again at most.
    venue.skippedMs += 500 + backOffMs / 2;
  }
  outcome = { status: 200 };
  await venue.tick();
  const status = await webhooks.status("wh_1");
  const well = { failures: 0, failingSinceMs: null, lastError: null, deliveredNumber: 2 };
  assert.partialDeepStrictEqual(status, well);
  const [figures] = await webhooks.figures();
  assert.partialDeepStrictEqual(figures, { waiting: 0, failingSeconds: 0, failuresTotal: 12 });
});

test("one that has nothing left to send does not fail any more", async (t) => {
  const venue = new Venue("http://127.0.0.1:1/");
  const webhooks = await venue.start({ post: async () => ({ status: 500 }) });
  t.after(() => {
    venue.stop();
    venue.remove();
  });
  await webhooks.newSecret("wh_1", null);
  venue.last = 2;
  await venue.tick();
  assert.partialDeepStrictEqual(await webhooks.status("wh_1"), { failures: 1 });
  await webhooks.newSecret("wh_1", 2);
  await venue.tick();
  const well = { failures: 0, failingSinceMs: null, lastError: null, deliveredNumber: 2 };
  assert.partialDeepStrictEqual(await webhooks.status("wh_1"), well);
});

test("the last thousand deliveries are kept", async (t) => {
  const venue = new Venue("http://127.0.0.1:1/");
  const webhooks = await venue.start({ post: async () => ({ status: 200 }) });
  t.after(() => {
    venue.stop();
    venue.remove();
  });
  await webhooks.newSecret("wh_1", null);
  for (let sent = 0; sent < 1_005; sent++) await webhooks.send("wh_1", null);
  const kept = await webhooks.deliveries("wh_1", Number.MAX_SAFE_INTEGER, 2_000);
  assert.equal(kept.length, 1_000);
  assert.deepEqual([kept[0]?.deliveryId, kept.at(-1)?.deliveryId], [1_005, 6]);
});

test("paused, without a secret and removed it is sent nothing; resumed it goes on", async (t) => {
  const { receiver, venue } = await open(t);
  receiver.chanceOfFailure = 0;
  venue.last = 5;
  await waitUntil("five arrive", async () => receiver.taken.length === 5);
  venue.settings = [{ ...venue.webhook, isPaused: true }];
  await venue.webhooks.refresh();
  venue.last = 250;
  const tested = await venue.webhooks.send("wh_1", null);
  assert.partialDeepStrictEqual(tested, { kind: "test", firstNumber: 0 });
  let again = await venue.webhooks.send("wh_1", 3);
  // The history is sometimes busy.
  while (again === "unavailable") again = await venue.webhooks.send("wh_1", 3);
  assert.partialDeepStrictEqual(again, { kind: "redelivery", firstNumber: 3, lastNumber: 3 });
  assert.equal(receiver.taken.length, 5, "paused");
  venue.settings = [venue.webhook];
  await venue.webhooks.refresh();
  await waitUntil("all have arrived", async () => {
    return (await venue.webhooks.status("wh_1"))?.deliveredNumber === 250;
  });

  receiver.secret = (await venue.webhooks.newSecret("wh_1", 200)).secret;
  await waitUntil("those after 200 again", async () => receiver.repeated >= 51);

  venue.settings = [];
  await venue.webhooks.refresh();
  await venue.webhooks.forget("wh_1");
  venue.last = 300;
  venue.settings = [venue.webhook];
  await venue.webhooks.refresh();
  assert.equal(await venue.webhooks.send("wh_1", null), "no-secret");
  assert.equal(receiver.taken.length, 250);
});

test("settings that a busy engine does not say at first are taken all the same", async (t) => {
  const { receiver, venue } = await open(t);
  receiver.chanceOfFailure = 0;
  venue.busy = 3;
  venue.settings = [{ ...venue.webhook, isPaused: true }];
  await venue.webhooks.refresh();
  assert.equal(venue.busy, 0);
  venue.settings = [
    { ...venue.webhook, isPaused: true },
    { ...venue.webhook, webhookId: "wh_2" },
  ];
  venue.busy = 1;
  await venue.webhooks.refresh();
  assert.deepEqual(
    (await venue.webhooks.figures()).map(({ isPaused, webhookId }) => [webhookId, isPaused]),
    [
      ["wh_1", true],
      ["wh_2", false],
    ],
  );
});

test("a history that went back takes the positions with it", async (t) => {
  const { receiver, venue } = await open(t);
  receiver.chanceOfFailure = 0;
  venue.last = 50;
  const position = async () => (await venue.webhooks.status("wh_1"))?.deliveredNumber ?? 0;
  await waitUntil("all have arrived", async () => (await position()) === 50);
  venue.webhooks.goBack(20);
  // The new future is longer than the old one before anybody looks.
  venue.last = 60;
  receiver.taken.length = 20;
  await venue.webhooks.restored();
  await waitUntil("what happened instead arrives", async () => receiver.taken.length === 60);
  await waitUntil("the position is kept", async () => (await position()) === 60);

  // The process ends between the note and the end of the restore.
  venue.webhooks.goBack(45);
  venue.stop();
  venue.last = 45;
  receiver.taken.length = 45;
  await venue.start();
  venue.last = 70;
  await waitUntil("what happened instead arrives", async () => receiver.taken.length === 70);
});

test("what is under way while the venue goes back does not count; nothing is sent", async (t) => {
  const venue = new Venue("http://127.0.0.1:1/");
  const sent: string[] = [];
  let answer = (_: PostOutcome): void => undefined;
  const post: Post = ({ body }) => {
    sent.push(body);
    return new Promise((resolve) => {
      answer = resolve;
    });
  };
  const webhooks = await venue.start({ post });
  t.after(() => {
    venue.stop();
    venue.remove();
  });
  await webhooks.newSecret("wh_1", null);
  venue.last = 9;
  await venue.tick();
  assert.equal(sent.length, 1);
  webhooks.goBack(4);
  answer({ status: 200 });
  for (let ticks = 0; ticks < 3; ticks++) await venue.tick();
  assert.equal(sent.length, 1, "nothing of a future that may end");
  assert.equal((await webhooks.status("wh_1"))?.deliveredNumber, 0);
  venue.last = 4;
  await webhooks.restored();
  await venue.tick();
  answer({ status: 200 });
  await venue.tick();
  const numbers = JSON.parse(sent[1] ?? "").events.map(({ number }: SentEvent) => number);
  assert.deepEqual(numbers, [1, 2, 3, 4]);
  assert.equal((await webhooks.status("wh_1"))?.deliveredNumber, 4);
});
