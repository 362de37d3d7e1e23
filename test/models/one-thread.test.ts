/**
 * Goal: a whole exchange runs on a simulated machine in one thread and does there what it does on
 * real threads. Method: the same session on both: markets, users and keys through the operator API,
 * random orders, an explicit snapshot, history, a stop and a second start from that snapshot. What
 * was answered, the state hash and the history must be equal. Wall clock and randomness come from
 * the test; time otherwise passes as fast as there is nothing to do, or really.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type RunningExchange, startExchange } from "../../src/app/exchange.ts";
import { exchangeConfig } from "../support/exchange-config.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { BTCUSDT } from "../support/exchange-setup.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { type Credentials, signedHeaders } from "../support/signed-client.ts";
import {
  type InlineAnswer,
  type Machine,
  type Surroundings,
  simulatedMachine,
  threadedMachine,
} from "../support/simulated-machine.ts";

const { seed } = seededRandom("one thread");
const BEGIN_MS = 1_800_000_000_000;
const ORDERS = scaled(80);
const POLL_MS = 10;
const POLLS_MAX = 10_000;

interface Status {
  readonly process: { readonly history: { readonly lag: number } };
}

/** A session with an exchange on a machine; all that was answered is remembered. */
class Session {
  readonly answers: InlineAnswer[] = [];
  readonly #machine: Machine;
  readonly #folder = temporaryFolder();
  readonly #wall: { nowMs: number };
  readonly #random = new Random(seed);
  #exchange: RunningExchange | null = null;

  constructor(make: (surroundings: Surroundings) => Machine) {
    const wall = { nowMs: BEGIN_MS };
    this.#wall = wall;
    this.#machine = make({ seed, wallMs: () => wall.nowMs });
  }

  async start(): Promise<void> {
    const onFatal = (error: Error): never => assert.fail(error);
    const starting = startExchange(exchangeConfig(this.#folder), onFatal, this.#machine.platform);
    this.#exchange = await this.#machine.until(starting);
  }

  async stop(): Promise<void> {
    await this.#machine.until(this.#running.stop());
  }

  get #running(): RunningExchange {
    assert.ok(this.#exchange !== null);
    return this.#exchange;
  }

  async operator<Body>(method: string, path: string, body: object = {}): Promise<Body> {
    const { operatorPort, operatorToken } = this.#running;
    const headers = { Authorization: `Bearer ${operatorToken}` };
    return (await this.#send(operatorPort, method, `/operator/v1/${path}`, headers, body)) as Body;
  }

  async signed(who: Credentials, method: string, path: string, body?: object): Promise<unknown> {
    const text = body === undefined ? null : JSON.stringify(body);
    const timestamp = String(this.#wall.nowMs);
    const headers = signedHeaders(who, { method, path, body: text }, timestamp);
    return this.#send(this.#running.port, method, path, headers, body);
  }

  async #send(
    port: number,
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<unknown> {
    const isRead = method === "GET" || body === undefined;
    const withBody = { headers: { ...headers, "Content-Type": "application/json" } };
    const request = isRead
      ? { method, path, headers }
      : { method, path, ...withBody, body: JSON.stringify(body) };
    const answer = await this.#machine.until(this.#machine.network.send(port, request));
    this.answers.push(answer);
    return answer.body;
  }

  /** Two users who can trade with each other. */
  async open(): Promise<readonly Credentials[]> {
    await this.operator("PUT", "markets/spot/BTCUSDT", BTCUSDT);
    const users: Credentials[] = [];
    for (const name of ["one", "other"]) {
      const { uid } = await this.operator<{ uid: number }>("POST", "users");
      for (const [asset, amount] of [
        ["BTC", "100"],
        ["USDT", "1000000"],
      ]) {
        const deposit = { id: `${name}-${asset}`, account: "spot", asset, amount };
        await this.operator("POST", `users/${uid}/deposits`, deposit);
      }
      const key = { label: name, permissions: ["read", "spot"], passphrase: "passphrase" };
      users.push(await this.operator<Credentials>("POST", `users/${uid}/api-keys`, key));
    }
    return users;
  }

  async trade(users: readonly Credentials[], prefix: string): Promise<void> {
    const random = this.#random;
    for (let order = 0; order < ORDERS; order++) {
      this.#wall.nowMs += random.integer(0, 3_000);
      await this.signed(random.pick(users), "POST", "/api/v3/order", {
        symbol: "BTCUSDT",
        side: random.pick(["BUY", "SELL"]),
        type: "LIMIT",
        timeInForce: random.pick(["GTC", "IOC"]),
        quantity: `0.${random.integer(1, 9)}`,
        price: `${1_000 + random.integer(-3, 3)}`,
        newClientOrderId: `${prefix}-${order}`,
      });
    }
  }

  /** On the machine's own time. */
  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.#machine.platform.scheduler.after(delayMs, resolve);
    });
  }

  /** However slow the machine is, no question about the past is given up. */
  async #untilHistoryIsWritten(): Promise<void> {
    for (let polls = 0; polls < POLLS_MAX; polls++) {
      const status = await this.operator<Status>("GET", "status");
      this.answers.pop();
      if (status.process.history.lag === 0) return;
      await this.#machine.until(this.#pause(POLL_MS));
    }
    assert.fail("the history is never written");
  }

  async history(users: readonly Credentials[]): Promise<unknown> {
    await this.#untilHistoryIsWritten();
    const answers: unknown[] = [await this.operator("GET", "audit")];
    for (const user of users) {
      for (const list of ["allOrders", "myTrades"]) {
        answers.push(await this.signed(user, "GET", `/api/v3/${list}?symbol=BTCUSDT&limit=1000`));
      }
    }
    return answers;
  }

  /** Its time is not compared: a follower in a thread of its own reads the machine's clock. */
  async snapshot(): Promise<number> {
    const { sequence } = await this.operator<{ sequence: number }>("POST", "snapshots");
    this.answers.pop();
    return sequence;
  }

  async stateHash(): Promise<string> {
    return (await this.operator<{ stateHash: string }>("GET", "invariants")).stateHash;
  }
}

async function sessionOn(make: (surroundings: Surroundings) => Machine) {
  const session = new Session(make);
  await session.start();
  const users = await session.open();
  await session.trade(users, "first");
  const snapshot = await session.snapshot();
  await session.trade(users, "second");
  const before = { hash: await session.stateHash(), history: await session.history(users) };
  await session.stop();
  await session.start();
  const after = { hash: await session.stateHash(), history: await session.history(users) };
  await session.stop();
  return { answers: session.answers, before, after, snapshot };
}

test("an exchange in one thread is the exchange on real threads", async () => {
  const inline = await sessionOn(simulatedMachine);
  const failed = inline.answers.filter(({ status }) => status !== 200);
  assert.deepEqual(failed, []);
  assert.ok(inline.snapshot > ORDERS);
  assert.deepEqual(inline.after, inline.before, "nothing is lost by a restart");
  const trades = inline.after.history as unknown[][];
  assert.ok((trades[2]?.length ?? 0) > 10, "there are trades");
  const threaded = await sessionOn(threadedMachine);
  assert.deepEqual(inline, threaded);
});
