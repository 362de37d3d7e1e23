/**
 * Proves that `kill -9` costs a webhook nothing: the real process is killed at random moments while
 * deposits are made and a receiver outside takes what it is sent, and fails now and then. At the
 * end the receiver has every deposit that was answered, once by number and in order; the same again
 * from a history that was built anew, and after a sandbox went back to a checkpoint.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { NoAnswer } from "../support/http-exchange.ts";
import { rebuildHistory } from "../support/killed-exchange.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { waitUntil } from "../support/wait-until.ts";

const CYCLES = Math.max(2, scaled(2));
const V1 = "/operator/v1";
const UID = 9;
const random = seededRandom("crash/webhook-kill");

interface SentEvent {
  readonly number: number;
  readonly type: string;
  readonly uid: number;
  readonly data: { readonly id: string };
}

class Receiver {
  secret = "";
  taken: SentEvent[] = [];
  requests = 0;
  repeated = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await Array.fromAsync(request).then(
        (chunks) => Buffer.concat(chunks).toString(),
        () => null,
      );
      if (body === null) return;
      const time = request.headers["x-rialto-timestamp"];
      const signed = createHmac("sha256", this.secret).update(`${time}.${body}`).digest("hex");
      assert.equal(request.headers["x-rialto-signature"], `sha256=${signed}`);
      this.requests++;
      if (random.chance(0.1)) return void response.writeHead(503).end();
      for (const event of JSON.parse(body).events as SentEvent[]) this.#take(event);
      response.end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #take(event: SentEvent): void {
    const last = this.taken.at(-1)?.number ?? 0;
    assert.ok(event.number <= last + 1, `${event.number} came after ${last}`);
    if (event.number === last + 1) this.taken.push(event);
    else this.repeated++;
  }
}

async function deposit(exchange: ExchangeProcess, id: string): Promise<void> {
  const body = { id, account: "spot", asset: "USDT", amount: "1" };
  await exchange.operator.call("POST", `${V1}/users/${UID}/deposits`, body);
}

test("kill -9 while a webhook is told of deposits", async (t) => {
  const exchange = await ExchangeProcess.start({ flags: ["--sandbox"] });
  const receiver = new Receiver();
  t.after(async () => {
    await exchange.stop();
    receiver.close();
  });
  const call = <Answer>(method: string, path: string, body: object) =>
    exchange.operator.call<Answer>(method, `${V1}/${path}`, body);
  await call("POST", "users", { uid: UID });
  const settings = { url: await receiver.listen(), kinds: ["deposits"] };
  const created = await call<{ secret: string }>("POST", "webhooks", settings);
  receiver.secret = created.secret;
  const expected: string[] = [];
  const takenIds = () => receiver.taken.map(({ data }) => data.id);
  const isComplete = async () => receiver.taken.length >= expected.length;

  for (let cycle = 0; cycle < CYCLES; cycle++) {
    let id = "";
    const load = (async () => {
      for (let count = 0; ; count++) {
        id = `d-${cycle}-${count}`;
        await deposit(exchange, id);
        expected.push(id);
      }
    })().catch((error: unknown) => assert.ok(error instanceof NoAnswer, String(error)));
    await sleep(random.integer(300, 900));
    await exchange.kill("SIGKILL");
    await load;
    await exchange.restart();
    // The one without an answer: repeated, it happened once.
    await deposit(exchange, id);
    expected.push(id);
  }
  await waitUntil("every deposit has arrived", isComplete);
  assert.deepEqual(takenIds(), expected);

  await rebuildHistory(exchange);
  await deposit(exchange, "rebuilt");
  expected.push("rebuilt");
  await waitUntil("the next one has arrived", isComplete);

  await call("POST", "sandbox/checkpoints", { name: "before" });
  await deposit(exchange, "never-happened");
  await waitUntil("it was told", async () => receiver.taken.length > expected.length);
  await call("POST", "sandbox/restore", { name: "before" });
  receiver.taken.pop();
  await deposit(exchange, "after");
  expected.push("after");
  await waitUntil("what happened instead has arrived", isComplete);
  assert.deepEqual(takenIds(), expected);
  const { requests, repeated } = receiver;
  t.diagnostic(`${expected.length} deposits in ${requests} requests, ${repeated} repeated`);
  assert.ok(expected.length > 20);
});
