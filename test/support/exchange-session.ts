/**
 * A session with a whole exchange on a machine, simulated or real, whose wall clock goes on by what
 * the session does: a market, two users who can trade with each other, random orders.
 */
import assert from "node:assert/strict";
import type { Config } from "../../src/app/config.ts";
import { startExchange } from "../../src/app/exchange.ts";
import type { RunningExchange } from "../../src/app/running-exchange.ts";
import { exchangeConfig } from "./exchange-config.ts";
import { temporaryFolder } from "./exchange-process.ts";
import { BTCUSDT } from "./exchange-setup.ts";
import type { InlineAnswer } from "./inline-http.ts";
import type { Random } from "./random.ts";
import { type Credentials, signedHeaders } from "./signed-client.ts";
import type { Machine, Surroundings } from "./simulated-machine.ts";

const BEGIN_MS = 1_800_000_000_000;
const ORDER_GAP_MS = 3_000;

export type MakeMachine = (surroundings: Surroundings) => Machine;

export class ExchangeSession {
  readonly machine: Machine;
  readonly #folder = temporaryFolder();
  readonly #config: Partial<Config>;
  readonly #wall = { nowMs: BEGIN_MS };
  #exchange: RunningExchange | null = null;
  users: readonly Credentials[] = [];

  constructor(make: MakeMachine, seed: number, config: Partial<Config> = {}) {
    this.machine = make({ seed, wallMs: () => this.#wall.nowMs });
    this.#config = config;
  }

  async start(): Promise<void> {
    const config = exchangeConfig(this.#folder, this.#config);
    const onFatal = (error: Error): never => assert.fail(error);
    const starting = startExchange(config, onFatal, this.machine.platform);
    this.#exchange = await this.machine.until(starting);
  }

  async stop(): Promise<void> {
    await this.machine.until(this.#running.stop());
  }

  get #running(): RunningExchange {
    assert.ok(this.#exchange !== null);
    return this.#exchange;
  }

  /** Time in which nothing happens. */
  wait(ms: number): void {
    this.#wall.nowMs += ms;
  }

  operator(method: string, path: string, body: object = {}): Promise<InlineAnswer> {
    const { operatorPort, operatorToken } = this.#running;
    const headers = { Authorization: `Bearer ${operatorToken}` };
    return this.#send(operatorPort, method, `/operator/v1/${path}`, headers, body);
  }

  async accepted<Body>(method: string, path: string, body?: object): Promise<Body> {
    const answer = await this.operator(method, path, body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as Body;
  }

  signed(who: Credentials, method: string, path: string, body?: object): Promise<InlineAnswer> {
    const text = body === undefined ? null : JSON.stringify(body);
    const headers = signedHeaders(who, { method, path, body: text }, String(this.#wall.nowMs));
    return this.#send(this.#running.port, method, path, headers, body);
  }

  #send(
    port: number,
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: object,
  ): Promise<InlineAnswer> {
    const isRead = method === "GET" || body === undefined;
    const withBody = { headers: { ...headers, "Content-Type": "application/json" } };
    const request = isRead
      ? { method, path, headers }
      : { method, path, ...withBody, body: JSON.stringify(body) };
    return this.machine.until(this.machine.network.send(port, request));
  }

  async open(): Promise<void> {
    await this.accepted("PUT", "markets/spot/BTCUSDT", BTCUSDT);
    const users: Credentials[] = [];
    for (const name of ["one", "other"]) {
      const { uid } = await this.accepted<{ uid: number }>("POST", "users");
      for (const [asset, amount] of [
        ["BTC", "100"],
        ["USDT", "1000000"],
      ]) {
        const deposit = { id: `${name}-${asset}`, account: "spot", asset, amount };
        await this.accepted("POST", `users/${uid}/deposits`, deposit);
      }
      const key = { label: name, permissions: ["read", "spot"], passphrase: "passphrase" };
      users.push(await this.accepted<Credentials>("POST", `users/${uid}/api-keys`, key));
    }
    this.users = users;
  }

  /** About half of such orders trade. */
  placeRandomOrder(random: Random, clientOrderId: string): Promise<InlineAnswer> {
    this.wait(random.integer(0, ORDER_GAP_MS));
    return this.signed(random.pick(this.users), "POST", "/api/v3/order", {
      symbol: "BTCUSDT",
      side: random.pick(["BUY", "SELL"]),
      type: "LIMIT",
      timeInForce: random.pick(["GTC", "IOC"]),
      quantity: `0.${random.integer(1, 9)}`,
      price: `${1_000 + random.integer(-3, 3)}`,
      newClientOrderId: clientOrderId,
    });
  }
}
