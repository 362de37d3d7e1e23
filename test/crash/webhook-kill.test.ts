/**
 * Proves that `kill -9` costs a webhook nothing: the real process is killed at random moments while
 * deposits are made and a receiver outside takes what it is sent, and fails now and then. At the
 * end the receiver has every deposit that was answered, once by number and in order; the same again
 * from a history that was built anew, and after a sandbox went back to a checkpoint.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { NoAnswer } from "../support/http-exchange.ts";
import { rebuildHistory } from "../support/killed-exchange.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { waitUntil } from "../support/wait-until.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const CYCLES = Math.max(2, scaled(2));
const V1 = "/operator/v1";
const UID = 9;
const random = seededRandom("crash/webhook-kill");

async function deposit(exchange: ExchangeProcess, id: string): Promise<void> {
  const body = { id, account: "spot", asset: "USDT", amount: "1" };
  await exchange.operator.call("POST", `${V1}/users/${UID}/deposits`, body);
}

test("kill -9 while a webhook is told of deposits", async (t) => {
  const exchange = await ExchangeProcess.start({ flags: ["--sandbox"] });
  const receiver = new WebhookReceiver();
  receiver.fails = () => random.chance(0.1);
  t.after(async () => {
    await exchange.stop();
    receiver.close();
  });
  const call = <Answer>(method: string, path: string, body: object) =>
    exchange.operator.call<Answer>(method, `${V1}/${path}`, body);
  await call("POST", "users", { uid: UID });
  const settings = { url: await receiver.listen(), kinds: ["deposits"] };
  const created = await call<{ secret: string }>("POST", "webhooks", settings);
  receiver.secrets.push(created.secret);
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
    const made = expected.length + random.integer(10, 40);
    await waitUntil("deposits are made", async () => expected.length >= made);
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
