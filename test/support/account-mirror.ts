/**
 * An account as its streams tell it (docs/reference/streams.md): the REST state after the
 * subscription is confirmed, updated by every message since, in order.
 */
import assert from "node:assert/strict";
import { type AccountState, fillKey, type Row } from "./account-histories.ts";
import type { StreamMessage } from "./stream-client.ts";

export class AccountMirror {
  readonly orders = new Map<string, Row>();
  readonly fills = new Map<string, Row>();
  readonly balances = new Map<string, Row>();
  readonly positions = new Map<string, Row>();
  /** Messages that came. */
  messages = 0;
  /** Fills that came as a message although they were known. */
  repeatedFills = 0;
  /** By channel: the last version on this connection, and the highest that ever was. */
  #versions = new Map<unknown, number>();
  readonly #highest = new Map<unknown, number>();

  /** Another connection counts on its own. */
  reconnected(): void {
    this.#versions = new Map();
  }

  /** Nothing is told of one of its channels for a while. */
  left(channel: string): void {
    this.#versions.delete(channel);
  }

  differences(expected: AccountState): string[] {
    return [
      ...differing("order", this.orders, expected.orders),
      ...differing("fill", this.fills, expected.fills),
      ...differing("position", this.#openPositions(), expected.positions),
      ...this.#differingBalances(expected.balances),
    ];
  }

  #openPositions(): Map<string, Row> {
    return new Map([...this.positions].filter(([, { size }]) => size !== "0"));
  }

  /** A balance that nobody was told of was never another. */
  #differingBalances(expected: ReadonlyMap<string, Row>): string[] {
    const known = [...expected].filter(([coin]) => this.balances.has(coin));
    return differing("balance", this.balances, new Map(known));
  }

  takeState({ orders, fills, balances, positions }: AccountState): void {
    for (const [id, order] of orders) this.orders.set(id, order);
    for (const [key, fill] of fills) this.fills.set(key, fill);
    for (const [coin, balance] of balances) this.balances.set(coin, balance);
    this.positions.clear();
    for (const [id, position] of positions) this.positions.set(id, position);
  }

  take({ e, v, d }: StreamMessage): void {
    this.messages++;
    this.#takeVersion(e, Number(v));
    const rows = d as Row[];
    assert.ok(rows.length > 0, "no message is empty");
    for (const row of rows) {
      if (e === "fill") {
        if (this.fills.has(fillKey(row))) this.repeatedFills++;
        this.fills.set(fillKey(row), row);
      } else if (e === "orders") this.orders.set(String(row.id), row);
      else if (e === "positions") this.positions.set(String(row.id), row);
      else this.balances.set(String(row.coin), row);
    }
  }

  /** One message of a command is of each symbol, all with one version. */
  #takeVersion(channel: unknown, version: number): void {
    const before = this.#versions.get(channel);
    const isNext = before === undefined || version === before || version === before + 1;
    assert.ok(isNext, `${channel}: ${before} → ${version}`);
    const highest = this.#highest.get(channel) ?? 0;
    assert.ok(version >= highest, `${channel} went back: ${highest} → ${version}`);
    this.#versions.set(channel, version);
    this.#highest.set(channel, version);
  }
}

/** What is expected of each row is compared, and neither side may have a row alone. */
function differing(
  what: string,
  kept: ReadonlyMap<string, Row>,
  expected: ReadonlyMap<string, Row>,
): string[] {
  const found: string[] = [];
  for (const [key, row] of expected) {
    const mine = kept.get(key);
    const names = Object.keys(row).filter((name) => mine?.[name] !== row[name]);
    const differences = names.map((name) => `${name} ${mine?.[name]} for ${row[name]}`);
    if (names.length > 0) found.push(`${what} ${key}: ${differences.join(", ")}`);
  }
  const alone = [...kept.keys()].filter((key) => !expected.has(key));
  if (what !== "balance") found.push(...alone.map((key) => `${what} ${key}: not over REST`));
  return found;
}
