/**
 * The story of an exchange as its journal tells it: each durable command in its order, carried out
 * by the engine and by the naive exchange, which must say the same. From their events it knows what
 * every order, book and candle was after each command, so that whatever a client was told can be
 * found in it.
 */

import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { sha256Hex } from "../../src/app/event-digest.ts";
import { Engine } from "../../src/engine/index.ts";
import { openJournalReader } from "../../src/journal/index.ts";
import {
  ByteWriter,
  type Command,
  type Event,
  type JournaledBatch,
  readCommand,
  readEvents,
} from "../../src/protocol/index.ts";
import { byType, contractEventsAsText } from "../models/contract/contract-event-text.ts";
import type { NaiveEvent } from "../models/naive-accounts.ts";
import { PROGRAMME_EVENTS } from "../support/affiliate/affiliate-recomputation.ts";
import { isAffiliateCommand } from "../support/affiliate/naive-affiliate-commands.ts";
import { HASH_KEY } from "../support/hash-key.ts";
import { FaultyFileSystem, type SimulatedDisk } from "../support/simulated-disk.ts";
import { AffiliateStory, CreditedExchange } from "./affiliate-story.ts";
import { BookVersions } from "./book-versions.ts";
import { Breach, hold } from "./breach.ts";
import { OrderTimelines } from "./order-timelines.ts";
import { TradeTape } from "./trade-tape.ts";

/** Where the journal is now. */
export interface JournalPlace {
  readonly disk: SimulatedDisk;
  readonly dataFolder: string;
}

/**
 * How long a request is remembered: exchange time, of which a sandbox's clock may pass as much
 * while its signature is still good.
 */
export const DONE_KEPT_MS = 600_000;

export class Story {
  readonly naive = new CreditedExchange();
  readonly affiliates = new AffiliateStory(this.naive);
  readonly orders = new OrderTimelines(this.naive);
  readonly books = new BookVersions(this.naive);
  readonly trades = new TradeTape(this.naive);
  readonly #engine = Engine.create(sha256Hex, HASH_KEY);
  readonly #events = new ByteWriter();
  #sequence = 0;
  /** The journal's hash of everything up to there. */
  #chainHash = "";
  /** Signed requests that were carried out. */
  readonly #done = new Map<string, number>();
  #timeMs = 0;
  /** Of the present command and the slices of its cascade. */
  #said: NaiveEvent[] = [];
  #expected: readonly NaiveEvent[] = [];
  #command: Command | null = null;

  /** Of the last command that it has followed. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Of the last command. */
  get timeMs(): number {
    return this.#timeMs;
  }

  get stateHash(): string {
    return this.#engine.stateHash();
  }

  /**
   * Follows the journal up to a command that is durable. On a disk that may have changed, as behind
   * a restart, what it has followed before must be there still: its hash says so.
   */
  async follow({ dataFolder, disk }: JournalPlace, sequence: number, isAgain = false) {
    const known = this.#sequence;
    hold(sequence >= known, "nothing durable is lost", () => `${known} → ${sequence}`);
    const from = isAgain && known > 0 ? known : known + 1;
    if (sequence < from) return;
    const files = new FaultyFileSystem(disk);
    const reader = openJournalReader(join(dataFolder, "journal"), files);
    for await (const batch of reader.read(from, sequence)) {
      if (batch.firstSequence > known) this.#take(batch);
      else this.#checkKnown(batch);
    }
    this.#compare();
  }

  #checkKnown({ chainHash, firstSequence, records }: JournaledBatch): void {
    const isWhole = firstSequence + records.length - 1 === this.#sequence;
    const isSame = isWhole && hexOf(chainHash) === this.#chainHash;
    hold(isSame, "nothing durable is changed", () => `up to ${this.#sequence}`);
  }

  #take({ chainHash, firstSequence, records, timestampMs }: JournaledBatch): void {
    this.#chainHash = hexOf(chainHash);
    const follows = firstSequence === this.#sequence + 1;
    hold(follows, "the journal has no gap", () => `${firstSequence} after ${this.#sequence}`);
    const isLater = timestampMs >= this.#timeMs;
    hold(isLater, "exchange time never goes back", () => `${timestampMs} after ${this.#timeMs}`);
    this.#timeMs = timestampMs;
    const reader = records.reader();
    for (let index = 0; index < records.length; index++) {
      records.open(reader, index);
      this.#apply(readCommand(reader), timestampMs);
    }
  }

  #apply(command: Command, nowMs: number): void {
    const sequence = this.#sequence + 1;
    const meant = command.type === "do-once" ? command.command : command;
    if (command.type === "do-once") this.#doOnce(command.requestId, nowMs);
    if (meant.type !== "continue-risk") this.#expect(meant, nowMs, sequence);
    this.#events.clear();
    const result = this.#engine.apply(command, sequence, nowMs, this.#events);
    hold(result.ok, "only what was accepted is in the journal", () => JSON.stringify(command));
    this.#sequence = sequence;
    this.naive.recordedMs = nowMs;
    const chunk = this.#events.toBytes();
    const said = contractEventsAsText(chunk, this.naive);
    this.#said.push(...said.filter(({ type }) => !PROGRAMME_EVENTS.has(type)));
    this.affiliates.take(meant, nowMs, chunk);
    this.#note([...readEvents(chunk)]);
  }

  #doOnce(requestId: string, nowMs: number): void {
    const doneMs = this.#done.get(requestId) ?? Number.NEGATIVE_INFINITY;
    hold(nowMs - doneMs >= DONE_KEPT_MS, "a signed request has one effect", () => requestId);
    this.#done.set(requestId, nowMs);
  }

  /** What the naive exchange says of a command, once it has agreed about the one before. */
  #expect(command: Command, nowMs: number, sequence: number): void {
    this.#compare();
    this.#command = command;
    this.#said = [];
    this.#expected = [];
    if (command.type === "advance-time") {
      this.#expected = [...this.naive.advance(command.toMs, sequence)];
      return;
    }
    if (command.type !== "resume") {
      const due = byType(this.naive.advance(nowMs, sequence));
      hold(Object.keys(due).length === 0, "what is due happens", () => JSON.stringify(due));
    }
    if (isAffiliateCommand(command)) return;
    const outcome = this.naive.carryOut(command, nowMs, sequence);
    const refused = () => `${JSON.stringify(command)}: ${JSON.stringify(outcome)}`;
    hold(outcome.ok, "the naive exchange accepts the same", refused);
    this.#expected = [...outcome.events];
  }

  #compare(): void {
    const said = byType(this.#said);
    const expected = byType(this.#expected);
    for (const type of new Set([...Object.keys(said), ...Object.keys(expected)])) {
      if (isDeepStrictEqual(said[type] ?? [], expected[type] ?? [])) continue;
      const words = (value: unknown) =>
        JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part));
      const both = `${words(said[type])} instead of ${words(expected[type])}`;
      const what = `${this.#sequence} ${words(this.#command)}`;
      throw new Breach("the engine does what the naive exchange does", `${what}: ${both}`);
    }
    this.#said = [];
    this.#expected = [];
  }

  #note(events: readonly Event[]): void {
    const sequence = this.#sequence;
    let timeMs = 0;
    const books = new Set<string>();
    for (const event of events) {
      if (event.type === "command-applied" || event.type === "timer-fired") {
        timeMs = event.timestampMs;
      }
      this.orders.take(event, sequence, timeMs);
      this.trades.take(event, sequence, timeMs);
      if (!("symbol" in event) || event.symbol === null) continue;
      if (event.type.startsWith("spot-")) books.add(`spot ${event.symbol}`);
      else if (event.type.startsWith("contract-")) books.add(`contract ${event.symbol}`);
    }
    for (const book of books) this.books.take(book, sequence, this.#engine);
  }
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
