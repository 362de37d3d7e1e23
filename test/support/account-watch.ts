/**
 * An account kept by a client according to the reference (docs/reference/streams.md): the REST
 * state after the subscription is confirmed, updated by every message since, in order.
 */
import assert from "node:assert/strict";
import { type Product, readAccount } from "./account-histories.ts";
import { AccountMirror } from "./account-mirror.ts";
import type { ExchangeProcess } from "./exchange-process.ts";
import type { Account } from "./exchange-setup.ts";
import { SignedClient } from "./signed-client.ts";
import { StreamClient, type StreamMessage } from "./stream-client.ts";

/** Times that REST is asked. */
const ATTEMPTS = 2;

const CHANNELS: Readonly<Record<Product, readonly string[]>> = {
  spot: ["account", "orders", "fill"],
  contract: ["account", "orders", "fill", "positions"],
};

export class AccountWatch extends AccountMirror {
  readonly #account: Account;
  readonly #product: Product;
  /** Null once messages are taken as they come. */
  #held: StreamMessage[] | null = null;
  #stream: StreamClient | null = null;

  constructor(account: Account, product: Product) {
    super();
    this.#account = account;
    this.#product = product;
  }

  get account(): Account {
    return this.#account;
  }

  /** Listens from now on and asks for nothing: for an account that has done nothing yet. */
  async listen(exchange: ExchangeProcess): Promise<void> {
    this.#stream?.socket.terminate();
    this.reconnected();
    const prefix = this.#product === "spot" ? "" : "/contract";
    const path = `${prefix}/v3/ws/private`;
    const stream = await StreamClient.open(exchange.port, path, this.#account.credentials);
    this.#stream = stream;
    stream.onMessage = (message) => {
      if (this.#held === null) this.take(message);
      else this.#held.push(message);
    };
    const { result } = await stream.subscribe(...CHANNELS[this.#product]);
    assert.equal(result, true);
  }

  /** The same for one who was away: asks for everything behind the subscription. */
  async catchUp(exchange: ExchangeProcess): Promise<void> {
    this.#held = [];
    await this.listen(exchange);
    const client = new SignedClient(exchange.port, this.#account.credentials);
    const state = await readAccount(client, this.#product);
    client.close();
    this.takeState(state);
    const held = this.#held;
    this.#held = null;
    for (const message of held) this.take(message);
  }

  /**
   * Until what is kept is what REST says. A mark that moves by time may fire an order after REST
   * was asked, so it is asked again before the two count as different.
   */
  async agrees(exchange: ExchangeProcess): Promise<void> {
    let differences: readonly string[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const client = new SignedClient(exchange.port, this.#account.credentials);
      const expected = await readAccount(client, this.#product);
      client.close();
      const agrees = (): boolean => {
        differences = this.differences(expected);
        return differences.length === 0;
      };
      const agreed = await (this.#stream as StreamClient).until(agrees, "agreement").then(
        () => true,
        () => false,
      );
      if (agreed) return;
    }
    assert.deepEqual(differences, []);
  }

  async close(): Promise<void> {
    await this.#stream?.close();
  }
}
