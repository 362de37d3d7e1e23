/**
 * The story of an exchange as its journal tells it: each durable command in its order, carried out
 * by the engine and by the naive exchange, which must say the same. From their events it knows what
 * every order, book and candle was after each command, so that whatever a client was told can be
 * found in it.
 */

import { join } from "node:path";
import { inspect, isDeepStrictEqual } from "node:util";
import { extendEventDigest, INITIAL_EVENT_DIGEST, sha256Hex } from "../../src/app/event-digest.ts";
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
import { HistoryModel } from "../history/history-model.ts";
import type { Listing } from "../history/listed.ts";
import { byType, contractEventsAsText } from "../models/contract/contract-event-text.ts";
import type { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import type { NaiveEvent } from "../models/naive-accounts.ts";
import { minorUnit } from "../models/naive-rules.ts";
import { splitVersions, type Versioned } from "../models/versioned-answers.ts";
import { PROGRAMME_EVENTS } from "../support/affiliate/affiliate-recomputation.ts";
import { isAffiliateCommand } from "../support/affiliate/naive-affiliate-commands.ts";
import { text } from "../support/exact.ts";
import { HASH_KEY } from "../support/hash-key.ts";
import { FaultyFileSystem, type SimulatedDisk } from "../support/simulated-disk.ts";
import { AffiliateStory, CreditedExchange } from "./affiliate-story.ts";
import { AskedCommands } from "./asked-commands.ts";
import { BookVersions } from "./book-versions.ts";
import { Breach, hold } from "./breach.ts";
import { checkTold } from "./event-check.ts";
import { FundingTimelines } from "./funding-timelines.ts";
import type { KeySettings } from "./operator-questions.ts";
import { OrderTimelines } from "./order-timelines.ts";
import { holdSameAnswers } from "./standing-answers.ts";
import { TradeTape } from "./trade-tape.ts";
import { judgedCommand, type UnjournaledCommand } from "./unjournaled-commands.ts";

/** Where the journal is now. */
export interface JournalPlace {
  readonly disk: SimulatedDisk;
  readonly stateFolder: string;
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
  readonly asked = new AskedCommands();
  readonly #listing = listingOf(this.naive);
  readonly history = new HistoryModel(this.#listing);
  /** That are live. */
  readonly keys = new Map<string, KeySettings>();
  readonly funding = new FundingTimelines(this.#listing.units);
  /** Of commands. */
  readonly times: number[] = [];
  /** Of the running exchange, since the story was here last. */
  unjournaled: UnjournaledCommand[] = [];
  hasResumedLate = false;
  readonly refusedByEngine = new Set<string>();
  #engine = Engine.create(sha256Hex, HASH_KEY);
  /** Of the engine as it is; null until somebody asks. */
  #stateHash: string | null = null;
  #startedAgainAt = 0;
  readonly #events = new ByteWriter();
  /** Of all events, in hex, by the last command of each batch. */
  readonly digests = new Map<number, string>();
  #digest: Uint8Array = INITIAL_EVENT_DIGEST;
  #sequence = 0;
  /** The journal's hash of everything up to there. */
  #chainHash = "";
  /** Signed requests that were carried out. */
  readonly #done = new Map<string, number>();
  /** The first command of each. */
  readonly #firstDone = new Map<string, number>();
  #timeMs = 0;
  /** The last countdown that ended, or a later command. */
  #firedMs = 0;
  /** Of the present command and the slices of its cascade. */
  #said: NaiveEvent[] = [];
  #expected: readonly NaiveEvent[] = [];
  /** What the naive exchange answers; null when it is not asked. */
  #answer: { readonly value: unknown } | null = null;
  #command: Command | null = null;
  #commandMs = 0;

  /** Of the last command that it has followed. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Of the last command. */
  get timeMs(): number {
    return this.#timeMs;
  }

  /** The journal's, of everything up to that command. */
  get chainHash(): string {
    return this.#chainHash;
  }

  get stateHash(): string {
    this.#stateHash ??= this.#engine.stateHash();
    return this.#stateHash;
  }

  /**
   * Goes on from a snapshot of the state, as an exchange does behind a start: whatever of it is not
   * in a snapshot is missing from here on, and another event will tell. Once behind a command.
   */
  startAgain(): void {
    if (this.#startedAgainAt === this.#sequence) return;
    this.#startedAgainAt = this.#sequence;
    this.#stateHash = null;
    const before = this.#engine;
    const sections = before.snapshotSections();
    this.#engine = Engine.restore(sections, before.timestampMs, sha256Hex, HASH_KEY);
    holdSameAnswers(before, this.#engine);
  }

  /**
   * Follows the journal up to a command that is durable. On a disk that may have changed, as behind
   * a restart, what it has followed before must be there still: its hash says so.
   */
  async follow(
    { disk, stateFolder }: JournalPlace,
    sequence: number,
    isAgain = false,
    /** Called in the state after each command. */
    look: () => void = () => undefined,
  ): Promise<void> {
    const known = this.#sequence;
    hold(sequence >= known, "nothing durable is lost", () => `${known} → ${sequence}`);
    const from = isAgain && known > 0 ? known : known + 1;
    if (sequence < from) return;
    const files = new FaultyFileSystem(disk);
    const reader = openJournalReader(join(stateFolder, "journal"), files);
    for await (const batch of reader.read(from, sequence)) {
      if (batch.firstSequence > known) this.#take(batch, look);
      else this.#checkKnown(batch);
    }
    this.#compare();
    // A cascade that the engine has not ended, the naive exchange has.
    if (!this.#engine.hasUnfinishedRisk) this.books.compare();
  }

  #checkKnown({ chainHash, firstSequence, records }: JournaledBatch): void {
    const isWhole = firstSequence + records.length - 1 === this.#sequence;
    const isSame = isWhole && hexOf(chainHash) === this.#chainHash;
    hold(isSame, "nothing durable is changed", () => `up to ${this.#sequence}`);
  }

  #take(
    { chainHash, firstSequence, records, timestampMs }: JournaledBatch,
    look: () => void,
  ): void {
    this.#chainHash = hexOf(chainHash);
    const follows = firstSequence === this.#sequence + 1;
    hold(follows, "the journal has no gap", () => `${firstSequence} after ${this.#sequence}`);
    const isLater = timestampMs >= this.#timeMs;
    hold(isLater, "exchange time never goes back", () => `${timestampMs} after ${this.#timeMs}`);
    this.#timeMs = timestampMs;
    const reader = records.reader();
    const said: Uint8Array[] = [];
    for (let index = 0; index < records.length; index++) {
      records.open(reader, index);
      said.push(this.#apply(readCommand(reader), timestampMs));
      look();
    }
    this.#digest = extendEventDigest(this.#digest, Buffer.concat(said));
    this.digests.set(this.#sequence, hexOf(this.#digest));
  }

  /** The bytes of its events. */
  #apply(command: Command, nowMs: number): Uint8Array {
    const sequence = this.#sequence + 1;
    this.asked.check(command);
    const meant = command.type === "do-once" ? command.command : command;
    if (command.type === "do-once") this.#doOnce(command.requestId, nowMs, sequence);
    if (meant.type === "continue-risk") this.naive.continued(sequence);
    else this.#expect(meant, nowMs, sequence);
    this.#events.clear();
    this.#stateHash = null;
    const result = this.#engine.apply(command, sequence, nowMs, this.#events);
    hold(result.ok, "only what was accepted is in the journal", () => JSON.stringify(command));
    const { last, value } = splitVersions(result.value);
    const due = this.#answer?.value;
    const isSame = this.#answer === null || isDeepStrictEqual(value, due);
    const both = () => `${JSON.stringify(meant)}: ${inspect(value)} instead of ${inspect(due)}`;
    hold(isSame, "the engine answers what the naive exchange does", both);
    this.#answer = null;
    this.#sequence = sequence;
    this.naive.recordedMs = nowMs;
    const chunk = this.#events.toBytes();
    const said = contractEventsAsText(chunk, this.naive);
    this.#said.push(...said.filter(({ type }) => !PROGRAMME_EVENTS.has(type)));
    this.affiliates.take(meant, nowMs, chunk, sequence);
    const events = [...readEvents(chunk)];
    const ownerOf = (apiKey: string) => this.keys.get(apiKey)?.uid;
    checkTold({ command: meant, nowMs, events, naive: this.naive, ownerOf });
    this.#note(events);
    if (last !== null && !this.#engine.hasUnfinishedRisk) this.#checkVersion(meant, last);
    if (startsAgainBehind(sequence)) this.startAgain();
    return chunk;
  }

  /** The version that an answer has is that of the book behind everything that followed. */
  #checkVersion({ type }: Command, { bookVersion, symbol }: Versioned): void {
    const name = `${type.includes("spot") ? "spot" : "contract"} ${symbol}`;
    const version = this.books.at(name, this.#sequence)?.version;
    const detail = () => `${type} ${name}: ${bookVersion} instead of ${version}`;
    hold(version === undefined || version === bookVersion, "an answer has its version", detail);
  }

  #doOnce(requestId: string, atMs: number, sequence: number): void {
    const doneMs = this.#done.get(requestId) ?? Number.NEGATIVE_INFINITY;
    hold(atMs - doneMs >= DONE_KEPT_MS, "a signed request has one effect", () => requestId);
    this.#done.set(requestId, atMs);
    if (!this.#firstDone.has(requestId)) this.#firstDone.set(requestId, sequence);
  }

  /** Behind that command, and never before. */
  isFirstDoneBehind(sequence: number, requestId: string): boolean {
    return (this.#firstDone.get(requestId) ?? 0) > sequence;
  }

  /** What the naive exchange says of a command, once it has agreed about the one before. */
  #expect(command: Command, nowMs: number, sequence: number): void {
    this.#compare();
    this.#judgeUnjournaled(nowMs, sequence);
    this.#command = command;
    this.#commandMs = nowMs;
    this.#said = [];
    this.#expected = [];
    this.#answer = null;
    if (command.type === "advance-time") {
      this.#expected = [...this.naive.advance(command.toMs, sequence)];
      return;
    }
    if (command.type !== "resume") this.#nothingIsDue(nowMs, sequence);
    if (isAffiliateCommand(command)) return;
    const outcome = this.naive.carryOut(command, nowMs, sequence);
    const refused = () => `${JSON.stringify(command)}: ${JSON.stringify(outcome)}`;
    hold(outcome.ok, "the naive exchange accepts the same", refused);
    this.#expected = [...outcome.events];
    this.#answer = { value: outcome.value };
  }

  /** Before the next command, up to whose time the naive exchange may be brought. */
  #judgeUnjournaled(untilMs: number, sequence: number): void {
    while (this.unjournaled[0] !== undefined && this.unjournaled[0].sequence < sequence) {
      const one = this.unjournaled.shift() as UnjournaledCommand;
      if (one.sequence === sequence - 1 && one.nowMs <= untilMs) this.#judge(one, sequence);
    }
  }

  #judge({ command, nowMs, said }: UnjournaledCommand, sequence: number): void {
    this.asked.check(command);
    const judged = judgedCommand(command);
    // What a signed request is answered again, and what changes affiliates, others compare.
    const isCompared =
      command.type === "do-once" || (judged !== null && isAffiliateCommand(judged));
    if (judged === null || (said.ok && isCompared)) return;
    this.#nothingIsDue(nowMs, sequence);
    const outcome = isAffiliateCommand(judged)
      ? this.affiliates.outcomeOf(judged, nowMs)
      : this.naive.carryOut(judged, nowMs, sequence);
    const both = () => `${JSON.stringify(judged)}: ${inspect(said)} instead of ${inspect(outcome)}`;
    if (said.ok) {
      const isSame =
        outcome.ok &&
        outcome.events.length === 0 &&
        isDeepStrictEqual(splitVersions(said.value).value, outcome.value);
      hold(isSame, "what changes nothing changes nothing in the naive exchange", both);
      return;
    }
    const isRefused = !outcome.ok && [...outcome.reasons].some((each) => each === said.reason);
    hold(isRefused, "the naive exchange refuses the same", both);
  }

  #nothingIsDue(nowMs: number, sequence: number): void {
    const due = byType(this.naive.advance(nowMs, sequence), nowMs);
    hold(Object.keys(due).length === 0, "what is due happens", () => JSON.stringify(due));
  }

  #compare(): void {
    const said = byType(this.#said, this.#commandMs);
    const expected = byType(this.#expected, this.#commandMs);
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

  /** A countdown ends at its time, which is behind everything before and not behind the present. */
  #checkFired(firedMs: number): void {
    const isInOrder = firedMs >= this.#firedMs && firedMs <= this.#timeMs;
    const detail = () => `${firedMs} is not from ${this.#firedMs} to ${this.#timeMs}`;
    hold(isInOrder, "countdowns end in the order of time", detail);
    this.#firedMs = firedMs;
  }

  #noteKey(event: Event): void {
    if (event.type === "api-key-revoked") this.keys.delete(event.apiKey);
    if (event.type !== "api-key-set") return;
    const { actor: _, expiresAtMs: expiresAt, type: __, ...settings } = event;
    this.keys.set(event.apiKey, { ...settings, expiresAt });
  }

  #note(events: readonly Event[]): void {
    const sequence = this.#sequence;
    let timeMs = 0;
    const books = new Set<string>();
    for (const event of events) {
      if (event.type === "command-applied" || event.type === "timer-fired") {
        timeMs = event.timestampMs;
      }
      if (event.type === "dead-man-switch-fired") this.#checkFired(timeMs);
      this.orders.take(event, sequence, timeMs);
      this.trades.take(event, sequence, timeMs);
      this.funding.take(event, sequence, timeMs);
      this.#noteKey(event);
      if (!("symbol" in event) || event.symbol === null) continue;
      if (event.type.startsWith("spot-")) books.add(`spot ${event.symbol}`);
      else if (event.type.startsWith("contract-")) books.add(`contract ${event.symbol}`);
    }
    for (const book of books) this.books.take(book, sequence, this.#engine);
    this.#firedMs = Math.max(this.#firedMs, timeMs);
    this.times.push(this.#timeMs);
    this.history.apply({ sequence, timestampMs: this.#timeMs, events });
  }
}

/** In which units the numbers of events are, as the naive exchange was told. */
function listingOf(naive: NaiveContractExchange): Listing {
  const marketOf = (product: "spot" | "contract", symbol: string) => {
    const rules = (product === "spot" ? naive.markets : naive.contracts).get(symbol)?.rules;
    if (rules === undefined) throw new Error(`there is no ${product} ${symbol}`);
    return { base: rules.base.asset, quote: rules.quote.asset, step: text(rules.step) };
  };
  const scale = (asset: string) => naive.assets.get(asset)?.scale ?? 0;
  return {
    units: (minor, asset) => text(minor * minorUnit(scale(asset))),
    scale,
    spot: (symbol) => marketOf("spot", symbol),
    contract: (symbol) => marketOf("contract", symbol),
  };
}

/** Of so many commands; in the midst of a step or a scene, and of a cascade that was cut. */
const STARTED_AGAIN = 30;

/** By the number alone, so that the same command is one of them however often it is followed. */
function startsAgainBehind(sequence: number): boolean {
  return (Math.imul(sequence, 0x9e3779b1) >>> 0) % STARTED_AGAIN === 0;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
