/** A client that listens to the withdrawals and deposits of one account. */

import { isDeepStrictEqual } from "node:util";
import type { Row } from "../support/account-histories.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import { handshakeHeaders } from "../support/stream-client.ts";
import { Breach, hold } from "./breach.ts";
import type { FundingChannel } from "./funding-timelines.ts";
import { passTime } from "./pass-time.ts";
import { SimulatedSocket } from "./socket.ts";
import { streamPath, subscribe, unsubscribe } from "./stream-versions.ts";
import type { Trader } from "./trader.ts";
import { SETTLE_MS } from "./watches.ts";

const CHANNELS = ["withdrawals", "deposits"] as const;
const LOOK_MS = 200;

export class FundingWatch {
  readonly trader: Trader;
  readonly product = "spot";
  #socket: SimulatedSocket | null = null;
  /** On this connection, in their order. */
  #told: { readonly channel: FundingChannel; readonly row: Row }[] = [];
  /** The last command that may have been carried out before anybody listened. */
  #from: number | null = null;
  /** Channels that it is not subscribed to for a while, and what was told of them. */
  readonly #left = new Set<unknown>();
  #failure: string | null = null;

  constructor(trader: Trader) {
    this.trader = trader;
  }

  get isConnected(): boolean {
    return this.#socket?.isOpen === true;
  }

  async connect(opened?: () => Promise<void>): Promise<void> {
    this.disconnect();
    this.#told = [];
    this.#from = null;
    this.#left.clear();
    const { credentials, exchange, name } = this.trader;
    const path = streamPath("v3", "spot", "private");
    const headers = handshakeHeaders(credentials, String(exchange.nowMs));
    const socket = await SimulatedSocket.open(exchange, path, headers, (said) => {
      exchange.trace(`${name} funding stream`, said);
      if (socket === this.#socket) this.#take(said);
    });
    exchange.checkRunning();
    if (socket === null) throw new Breach("streams", `${path} refuses ${name}`);
    this.#socket = socket;
    await opened?.();
    await subscribe(socket, "v3", "spot", CHANNELS);
  }

  get channels(): readonly string[] {
    return CHANNELS;
  }

  /** On the same connection, for as long as `away` takes: of these channels nothing is told. */
  async leave(names: readonly string[], away: () => Promise<void>): Promise<void> {
    const socket = this.#socket;
    if (socket === null) return;
    const isLeft = (channel: string) => names.includes(channel);
    await unsubscribe(socket, "v3", "spot", names, (name) => this.#left.add(name));
    await away();
    await subscribe(socket, "v3", "spot", names, (name) => {
      this.#left.delete(name);
      // What happened meanwhile is missing between what was told before and what will be.
      this.#told = this.#told.filter(({ channel }) => !isLeft(channel));
      this.#from = null;
    });
  }

  disconnect(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #take({ d, e }: StreamMessage): void {
    const channel = CHANNELS.find((name) => name === e);
    if (channel === undefined) return;
    if (this.#left.has(channel)) this.#failure ??= JSON.stringify(d);
    for (const row of d as readonly Row[]) {
      this.#told.push({ channel, row });
      this.#observe(channel, row);
    }
  }

  /** It was so after some command, and nobody who asks from now on sees less. */
  #observe(channel: FundingChannel, row: Row): void {
    const { exchange, name } = this.trader;
    const { linearity, story } = exchange;
    const turn = linearity.turn();
    const moments = () => story.funding.of(channel, idOf(channel, row));
    linearity.observe({
      kind: "message",
      what: `${name} ${channel} stream ${JSON.stringify(row)}`,
      asked: turn,
      answered: turn,
      changes: () => moments().map(({ sequence }) => sequence),
      fits: (sequence) =>
        moments().some((one) => one.sequence === sequence && isDeepStrictEqual(one.row, row)),
    });
  }

  /** Of an exchange to which nobody sends anything: what changed since the last look was told. */
  async check(): Promise<void> {
    const { exchange, name, uid } = this.trader;
    const { funding, sequence } = exchange.story;
    const told = () => `${name}: ${this.#failure}`;
    hold(this.#failure === null, "nothing is told of a channel that was left", told);
    if (!this.isConnected) return;
    const from = this.#from;
    for (const channel of CHANNELS) {
      const all = funding.ofUser(channel, uid).filter((moment) => moment.sequence <= sequence);
      const due = all.filter((moment) => from !== null && moment.sequence > from);
      const missing = () => {
        const rows = this.#told.filter((one) => one.channel === channel).map(({ row }) => row);
        return due.find((one) => !rows.some((row) => isDeepStrictEqual(row, one.row)));
      };
      for (let waited = 0; missing() !== undefined && waited < SETTLE_MS; waited += LOOK_MS) {
        await passTime(exchange, LOOK_MS);
      }
      if (!this.isConnected) return;
      const detail = () => `${name}: ${JSON.stringify(missing())} is missing`;
      hold(missing() === undefined, "private streams equal the history", detail);
      this.#checkOrder(channel, uid);
    }
    this.#from = sequence;
  }

  /** Each change once, in the order of the commands. */
  #checkOrder(channel: FundingChannel, uid: number): void {
    const all = this.trader.exchange.story.funding.ofUser(channel, uid);
    const rows = this.#told.filter((one) => one.channel === channel).map(({ row }) => row);
    // Some are equal: a network counts back and forth within a millisecond.
    const isFrom = (first: number) =>
      rows.every((row, index) => isDeepStrictEqual(row, all[first + index]?.row));
    const isInOrder = rows.length === 0 || all.some((_, first) => isFrom(first));
    const detail = () => `${this.trader.name} ${channel}: ${JSON.stringify(rows)}`;
    hold(isInOrder, "private streams have no gap", detail);
  }
}

function idOf(channel: FundingChannel, row: Row): number {
  return Number(channel === "withdrawals" ? row.withdrawalId : row.depositId);
}
