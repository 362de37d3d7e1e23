/**
 * Goal: what happens after a restore happens as if nothing had been after the checkpoint. Method:
 * on a simulated machine in one thread and on the real one with its threads, random commands, a
 * checkpoint, random commands, a restore, and the same commands again: every answer, the state hash
 * and the history must be the same, also across a stop and a start, after a second restore and
 * after a restore to a checkpoint of the branch that was left.
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
  type Machine,
  type Surroundings,
  simulatedMachine,
  threadedMachine,
} from "../support/simulated-machine.ts";

const { seed } = seededRandom("sandbox restores");
const BEGIN_MS = 1_800_000_000_000;
const ORDERS = scaled(40);

interface State {
  readonly stateHash: string;
  readonly sequence: number;
  readonly history: unknown;
  readonly book: unknown;
}

/** A sandbox on a machine whose wall clock goes on by what the session does. */
class Session {
  readonly #machine: Machine;
  readonly #folder = temporaryFolder();
  readonly #wall = { nowMs: BEGIN_MS };
  #exchange: RunningExchange | null = null;
  users: readonly Credentials[] = [];

  constructor(make: (surroundings: Surroundings) => Machine) {
    this.#machine = make({ seed, wallMs: () => this.#wall.nowMs });
  }

  async start(): Promise<void> {
    const config = exchangeConfig(this.#folder, { sandbox: true });
    const onFatal = (error: Error): never => assert.fail(error);
    this.#exchange = await this.#machine.until(
      startExchange(config, onFatal, this.#machine.platform),
    );
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
    const answer = await this.#send(operatorPort, method, `/operator/v1/${path}`, headers, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Body;
  }

  async signed(who: Credentials, method: string, path: string, body?: object) {
    const text = body === undefined ? null : JSON.stringify(body);
    const headers = signedHeaders(who, { method, path, body: text }, String(this.#wall.nowMs));
    return this.#send(this.#running.port, method, path, headers, body);
  }

  async #send(
    port: number,
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ) {
    const isRead = method === "GET" || body === undefined;
    const withBody = { headers: { ...headers, "Content-Type": "application/json" } };
    const request = isRead
      ? { method, path, headers }
      : { method, path, ...withBody, body: JSON.stringify(body) };
    return await this.#machine.until(this.#machine.network.send(port, request));
  }

  async open(): Promise<void> {
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
    this.users = users;
  }

  /** Commands drawn from a seed, with time between them; returns what was answered. */
  async trade(drawn: number): Promise<unknown[]> {
    const random = new Random(drawn);
    const answers: unknown[] = [];
    for (let order = 0; order < ORDERS; order++) {
      this.#wall.nowMs += random.integer(0, 3_000);
      const placed = await this.signed(random.pick(this.users), "POST", "/api/v3/order", {
        symbol: "BTCUSDT",
        side: random.pick(["BUY", "SELL"]),
        type: "LIMIT",
        timeInForce: random.pick(["GTC", "IOC"]),
        quantity: `0.${random.integer(1, 9)}`,
        price: `${1_000 + random.integer(-3, 3)}`,
        newClientOrderId: `${drawn}-${order}`,
      });
      answers.push(placed);
      if (random.chance(0.1)) {
        const { time } = await this.operator<{ time: number }>("POST", "sandbox/clock/advance", {
          ms: random.integer(1, 100_000),
        });
        answers.push(time);
      }
    }
    return answers;
  }

  /** Time in which nothing happens. */
  wait(ms: number): void {
    this.#wall.nowMs += ms;
  }

  async state(): Promise<State> {
    const { stateHash, sequence } = await this.operator<State>("GET", "invariants");
    const [who] = this.users as [Credentials];
    const history: unknown[] = [];
    for (const path of ["/api/v3/myTrades?symbol=BTCUSDT", "/api/v3/allOrders?symbol=BTCUSDT"]) {
      const answer = await this.#untilThere(() => this.signed(who, "GET", path));
      history.push(answer.body);
    }
    const book = await this.signed(who, "GET", "/api/v3/market/depth?symbol=BTCUSDT");
    return { stateHash, sequence, history, book: book.body };
  }

  /** However slow the machine is, no question about the past is given up. */
  async #untilThere(ask: () => ReturnType<Session["signed"]>) {
    for (;;) {
      const answer = await ask();
      if (answer.status !== 503) return answer;
    }
  }
}

for (const [kind, make] of [
  ["a simulated machine", simulatedMachine],
  ["the real machine", threadedMachine],
] as const) {
  test(`after a restore the same commands do the same, on ${kind}`, async () => {
    const session = new Session(make);
    await session.start();
    await session.open();
    await session.trade(seed);
    const checkpoint = (name: string) => session.operator("POST", "sandbox/checkpoints", { name });
    const restore = (name: string) => session.operator("POST", "sandbox/restore", { name });
    const kept = await session.state();
    const { stateHash } = kept;
    assert.deepEqual(await checkpoint("kept"), {
      name: "kept",
      sequence: kept.sequence,
      stateHash,
    });
    const answers = await session.trade(seed + 1);
    const after = await session.state();
    assert.notEqual(after.stateHash, stateHash);
    await checkpoint("after");

    session.wait(1_234_567);
    await restore("kept");
    assert.deepEqual(await session.state(), kept);
    assert.deepEqual(await session.trade(seed + 1), answers);
    assert.deepEqual(await session.state(), after);

    session.wait(7_654_321);
    await restore("kept");
    await session.stop();
    await session.start();
    // The start itself is a command: it resumes the clock.
    const resumed = await session.state();
    assert.deepEqual([resumed.history, resumed.book], [kept.history, kept.book]);
    await restore("kept");
    assert.deepEqual(await session.trade(seed + 1), answers, "also after a stop and a start");

    await session.trade(seed + 2);
    await restore("after");
    assert.deepEqual(await session.state(), after, "a state of a branch that was left");
    await session.stop();
  });
}
