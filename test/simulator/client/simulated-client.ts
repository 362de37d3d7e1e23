/**
 * A trader who uses the product's own client, with all its retries, its clock and its streams, on a
 * machine and a network of its own.
 */
import { createHmac } from "node:crypto";
import {
  NetworkError,
  RialtoClient,
  RialtoError,
  type StreamState,
} from "../../../src/client/index.ts";
import type { Random } from "../../support/random.ts";
import { Breach, hold } from "../breach.ts";
import { SOCKET_PATH } from "../entry.ts";
import { SYMBOL, TWO_SYMBOLS } from "../markets.ts";
import type { Product } from "../orders.ts";
import { passTime } from "../pass-time.ts";
import { checkStep } from "../state-check.ts";
import { streamPath } from "../stream-versions.ts";
import type { Trader } from "../trader.ts";
import { SETTLE_MS } from "../watches.ts";
import { AccountFollower } from "./account-follower.ts";
import { BookFollower } from "./book-follower.ts";
import {
  type Call,
  checkCall,
  checkUnsent,
  isUnknown,
  settledOf,
  TIME_PATH,
  type Told,
} from "./call-check.ts";
import { ClientMachine, inTurns } from "./client-machine.ts";
import { BASE_URL, ClientNetwork } from "./client-network.ts";
import { AccountStream, type MarketStream, openMarket } from "./client-streams.ts";
import { OwnChannels } from "./own-channels.ts";
import { TapeFollower } from "./tape-follower.ts";

/**
 * A connection of an account is asked for a sign of life every 45 s, which has 10 s, as a handshake
 * has; attempts are up to 10 s apart, and a book asks again after up to 30 s.
 */
const RECOVERED_MS = 120_000;
const LOOK_MS = 500;
const INTERVALS = ["1m", "5m", "15m", "1h"] as const;
const LATE_MAX = INTERVALS.length;
/** Of two markets they are more channels than a stream asks for at once. */
const MANY = [...INTERVALS, "30m", "4h", "12h", "1d", "1w"] as const;
const CLOCK_SLACK_MS = 2;
/** Of a stream, before it connects. */
const OPENED_MAX = 2;
/** Of changes of channels, those that close one. */
const CLOSED = 0.4;
/** Of handshakes, those behind which it subscribes to another channel at once. */
const JOINED = 0.7;
/** Of those, the ones behind which it closes one, too. */
const LEFT = 0.3;
const JOINED_TURNS_MAX = 3;
/** A message takes the interval of its stream, and the delay of its connection, each way. */
const AGREED_MS = SETTLE_MS + 8_000;
/** In which every connection of a closed client ends. */
const CLOSED_MS = 3_000;

/** A timestamp or a signature that is no good says nothing about the order. */
const OF_REQUEST: ReadonlySet<number | string> = new Set([-1046, -1047]);

/** No client sends anything again before that. */
const FIRST_WAIT_MS = 100;

export interface ClientChoice {
  readonly products: readonly Product[];
  readonly transport: "http" | "websocket";
  readonly levels: 15 | 200;
  /** By which its clock is wrong. */
  readonly skewMs: number;
  readonly hasMarkets: boolean;
  /** Whether it opens more channels than others do. */
  readonly hasMany: boolean;
}

export class SimulatedClient {
  readonly trader: Trader;
  readonly machine: ClientMachine;
  readonly network: ClientNetwork;
  readonly choice: ClientChoice;
  client!: RialtoClient;
  #markets: MarketStream[] = [];
  #accounts: AccountStream[] = [];
  #books: BookFollower[] = [];
  #tapes: TapeFollower[] = [];
  #followers: AccountFollower[] = [];
  /** Channels that it has listened to since it was opened. */
  #late: { isReady: boolean }[] = [];
  /** Those that have not heard of a restore yet. */
  #untold = new Set<MarketStream | AccountStream>();
  /** By product. */
  #channels: OwnChannels[] = [];
  /** Of what it opens and closes. */
  readonly #own: Random;
  readonly #running = new Set<Promise<unknown>>();
  #failure: unknown = null;
  #sequence = 0;

  constructor(trader: Trader, choice: ClientChoice, random: Random, own: Random) {
    this.trader = trader;
    this.#own = own;
    this.choice = choice;
    this.machine = new ClientMachine(trader.exchange, random);
    this.machine.skewMs = choice.skewMs;
    this.network = new ClientNetwork(trader.exchange, this.machine, trader.name);
    this.network.levels = choice.levels;
    this.network.onOpened = (url) => void this.#joinBehind(url);
    this.open();
  }

  open(): void {
    const { apiKey, passphrase, secret } = this.trader.credentials;
    const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64");
    this.client = new RialtoClient({
      baseUrl: BASE_URL,
      credentials: { apiKey, passphrase, sign },
      transport: this.choice.transport,
      fetch: this.network.fetch,
      webSocket: this.network.webSocket,
      runtime: this.machine,
    });
    this.network.beginAnew();
    this.#sequence = 0;
    for (const product of this.choice.products) this.#follow(product);
    for (const channels of this.#channels) {
      for (let count = this.#own.integer(0, OPENED_MAX); count > 0; count--)
        channels.open(this.#own);
    }
  }

  #follow(product: Product): void {
    const { client, trader } = this;
    const trace = (what: string) => (said: unknown) => {
      trader.exchange.trace(`${trader.name} ${product} ${what}`, said);
    };
    const account = new AccountStream(client, product);
    this.#accounts.push(account);
    account.onState((state) => this.#told(account, streamPath("v3", product, "private"), state));
    this.#followers.push(new AccountFollower(client, trader.uid, account, trace("account")));
    const market = this.choice.hasMarkets ? openMarket(client, product) : null;
    this.#channels.push(
      new OwnChannels({
        ...{ product, market, account, levels: this.choice.levels, trace: trace("own book") },
        sandbox: trader.exchange.sandbox,
        mayLack: () => this.network.hasLackedChange,
      }),
    );
    if (market === null) return;
    const book = market.orderBook(SYMBOL, this.choice.levels);
    this.#markets.push(market);
    if (this.choice.hasMany) {
      for (const symbol of TWO_SYMBOLS) {
        for (const interval of MANY) this.#await(market.klines(symbol, interval));
      }
    }
    market.onState((state) => this.#told(market, streamPath("v3", product, "public"), state));
    this.#books.push(new BookFollower(book, `${product} ${SYMBOL}`, trace("book")));
    market.onState(({ name }) => {
      const isCut = name === "connecting" || name === "reconnecting";
      if (!isCut || !book.isLive) return;
      const text = `${trader.name} ${product}: live while its stream is ${name}`;
      this.#failure ??= new Breach("a client's book is live only on a live stream", text);
    });
    this.#tapes.push(new TapeFollower(product, market, trace("trade")));
  }

  #told(stream: MarketStream | AccountStream, path: string, state: StreamState): void {
    if (state.resumed) this.#untold.delete(stream);
    this.network.subscriptions.told(path, state);
  }

  /** One call at a time: `told` is given what came of it. */
  async call<Answer>(call: Call, send: () => Promise<Answer>, told: Told<Answer>): Promise<void> {
    const running = this.#call(call, send, told).catch((error: unknown) => {
      this.#failure ??= error;
    });
    await this.follow(running);
  }

  /** Until it has an end. */
  async follow(running: Promise<void>): Promise<void> {
    this.#running.add(running);
    await running;
    this.#running.delete(running);
  }

  async #call<Answer>(call: Call, send: () => Promise<Answer>, told: Told<Answer>): Promise<void> {
    const { exchange, name } = this.trader;
    this.network.attempts = [];
    this.network.messages = 0;
    const sentMs = this.machine.monotonicMs();
    const settled = await settledOf(send());
    const { answer, error } = settled;
    exchange.trace(`${name} ${call.method} ${call.path}`, [answer, error?.message]);
    this.#checkSequence();
    if (this.choice.transport === "http") checkCall(call, this.network.attempts, settled);
    const isOneMessage = call.isRepeatable || this.network.messages <= 1;
    const sent = () => `${name} ${call.path}: ${this.network.messages} messages`;
    hold(isOneMessage || exchange.limits !== null, "only what may be repeated is", sent);
    if (error instanceof NetworkError) {
      if (this.choice.transport === "websocket") checkUnsent(call, this.network.messages, error);
      return told(null, null, false);
    }
    const isOfRequest = error !== null && OF_REQUEST.has(error.code);
    const isRight = !isOfRequest || this.network.isDisturbed || this.#hasRightTime();
    hold(isRight, "a client puts its clock right", () => `${name}: ${error?.message}`);
    const isLost = error !== null && (isUnknown(error) || isOfRequest);
    const isOnce = this.machine.monotonicMs() - sentMs < FIRST_WAIT_MS;
    told(answer as Answer | null, isLost ? null : error, isOnce);
  }

  /** It names what it has seen, and never less: another node must show as much. */
  #checkSequence(): void {
    const { sequence } = this.client;
    const detail = () => `${this.trader.name}: ${sequence} behind ${this.#sequence}`;
    hold(sequence >= this.#sequence, "what a client has seen never becomes less", detail);
    this.#sequence = sequence;
  }

  /** What it measured last, while somebody may have moved a sandbox's clock, or its own, since. */
  #hasRightTime(): boolean {
    const asked = this.network.attempts.findLast(({ path }) => path === TIME_PATH);
    // Of a disk that is stuck nobody hears the time.
    if (asked !== undefined && asked.answer?.status !== 200) return true;
    if (!this.trader.exchange.sandbox || asked?.answer == null) return false;
    const { serverTime } = JSON.parse(asked.answer.text) as { readonly serverTime: number };
    const takenMs = asked.wallMs + this.client.timeOffsetMs;
    return Math.abs(takenMs - serverTime) <= asked.endedMs - asked.sentMs + CLOCK_SLACK_MS;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Until each of its calls has an end. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Of books that change meanwhile, too. */
  async compareBooks(turns: number): Promise<void> {
    await inTurns(turns);
    for (const { book } of this.#books) {
      const isEqual = await book.verify().catch(() => null);
      if (isEqual !== false || this.network.mayLackChange) continue;
      const text = `${this.trader.name} ${book.symbol}: it is, and says that it is not`;
      this.#failure ??= new Breach("a client's book is the book of its version", text);
    }
  }

  /** Perhaps while it connects. */
  async subscribeMore(turns: number): Promise<void> {
    await inTurns(turns);
    const market = this.#markets[0];
    if (market === undefined || this.#late.length >= LATE_MAX) return;
    const count = this.#late.length;
    const symbol = TWO_SYMBOLS[(count + 1) % TWO_SYMBOLS.length] ?? SYMBOL;
    this.#await(market.klines(symbol, INTERVALS[count] ?? "1m"));
  }

  /** It must be accepted before its client is as it should be. */
  #await({ ready }: { readonly ready: Promise<unknown> }): void {
    const channel = { isReady: false };
    this.#late.push(channel);
    ready.then(
      () => {
        channel.isReady = true;
      },
      () => undefined,
    );
  }

  /** Some of its streams has one more channel, or one less. */
  changeChannels(random: Random): void {
    if (this.#channels.length === 0) return;
    const channels = random.pick(this.#channels);
    if (random.chance(CLOSED)) channels.closeOne(random);
    else channels.open(random);
  }

  /** Before its first channels are accepted, or about then. */
  async #joinBehind(url: string): Promise<void> {
    if (url.endsWith(SOCKET_PATH) || !this.#own.chance(JOINED)) return;
    const channels = this.#channels;
    await inTurns(this.#own.integer(0, JOINED_TURNS_MAX));
    if (channels !== this.#channels) return;
    const product = url.includes("/contract/") ? "contract" : "spot";
    const isPublic = url.endsWith("/public");
    const joined = channels[this.choice.products.indexOf(product)];
    if (isPublic) joined?.openOfMarket(this.#own);
    else joined?.openOfAccount(this.#own);
    if (this.#own.chance(LEFT)) joined?.closeOne(this.#own);
  }

  /** What was live must be told of it. */
  expectRestore(): void {
    const all = [...this.#markets, ...this.#accounts];
    this.#untold = new Set(all.filter(({ state }) => state.name === "live"));
  }

  /** The exchange has gone back, and nobody sends anything. */
  async restored(): Promise<void> {
    const { exchange, name } = this.trader;
    this.network.breakHalfOpen();
    this.network.nextChange = null;
    const untold = () => `${name}: ${this.#untold.size} streams`;
    for (let waited = 0; this.#untold.size > 0; waited += LOOK_MS) {
      hold(waited < RECOVERED_MS, "a client is told that a sandbox went back", untold);
      await exchange.pass(LOOK_MS);
    }
    await this.#recover();
    for (const { book } of this.#books) {
      const isEqual = await exchange.life.until(book.verify().catch(() => null));
      const detail = () => `${name} ${book.symbol} behind a restore`;
      hold(isEqual !== false, "a client's book is the book of its version", detail);
    }
    for (const follower of this.#followers) await this.#agreeAboutBalances(follower);
  }

  stopReaders(): void {
    for (const tape of this.#tapes) tape.stopOne();
  }

  /** Behind the checks of a step, which have followed everything that was told. */
  check(): void {
    const { client, network } = this;
    if (network.failure !== null) throw network.failure;
    if (this.#failure !== null) throw this.#failure;
    const { story } = this.trader.exchange;
    for (const book of this.#books) book.check(story);
    for (const follower of this.#followers) follower.check(story);
    for (const tape of this.#tapes) tape.check();
    for (const channels of this.#channels) channels.check(story);
    const isSame = client.sequence === network.sequence;
    const detail = () => `${client.sequence} instead of ${network.sequence}`;
    hold(isSame, "a client names the last command that it has seen", detail);
    this.#checkStreams(this.#markets, "public");
    this.#checkStreams(this.#accounts, "private");
    for (const [index, { state }] of this.#accounts.entries()) {
      this.#followers[index]?.readAgain(state.name === "live");
    }
  }

  #checkStreams(streams: readonly (MarketStream | AccountStream)[], kind: string): void {
    const { subscriptions } = this.network;
    for (const [index, { latencyMs, state }] of streams.entries()) {
      if (state.name !== "live") continue;
      const path = streamPath("v3", this.choice.products[index] ?? "spot", kind);
      const untold = subscriptions.untold(path);
      const late = () => `${this.trader.name} ${path}: ${untold}`;
      hold(untold === null, "a client is told of a channel that was accepted late", late);
      const due = subscriptions.latencyMs(path);
      const both = () => `${this.trader.name} ${path}: ${latencyMs} instead of ${due} ms`;
      hold(latencyMs === due, "a client says how long the last answer took", both);
    }
  }

  /** While nobody sends anything: it has found its way back, and knows what the exchange knows. */
  async audit(): Promise<void> {
    const { exchange, name } = this.trader;
    this.network.breakHalfOpen();
    // A last change that is lost from here on nobody would ever miss.
    this.network.nextChange = null;
    await this.#recover();
    // Lost changes that undo each other leave the same book of an older version.
    const books = this.network.hasLostChange ? [] : this.#books;
    if (this.network.hasLostChange) {
      this.network.hasLostChange = false;
      await exchange.life.until(Promise.allSettled(this.#books.map(({ book }) => book.verify())));
      await this.#recover();
    }
    await checkStep(exchange);
    this.check();
    await this.#agree(books);
    for (const { book } of this.#books) {
      const isEqual = await exchange.life.until(book.verify().catch(() => null));
      if (isEqual !== false) continue;
      throw new Breach("a client's book is the book of its version", `${name} ${book.symbol}`);
    }
    for (const follower of this.#followers) await this.#agreeAboutBalances(follower);
    exchange.trace(name, [this.machine.timers, this.network.connections]);
  }

  #notLive(): string | null {
    if (this.network.sockets.some(({ isDeaf }) => isDeaf)) return "a connection is half-open";
    for (const { state } of [...this.#markets, ...this.#accounts]) {
      if (state.name !== "live") return `${state.name}: ${state.reason}`;
    }
    for (const { book } of this.#books) if (!book.isLive) return "a book is not live";
    if (this.#late.some(({ isReady }) => !isReady)) return "a channel was not accepted";
    for (const channels of this.#channels) {
      const text = channels.notReady();
      if (text !== null) return text;
    }
    return null;
  }

  #difference(books: readonly BookFollower[]): string | null {
    const { story } = this.trader.exchange;
    for (const follower of [...books, ...this.#tapes, ...this.#followers]) {
      const difference = follower.difference(story);
      if (difference !== null) return difference;
    }
    const isWhole = books.length === this.#books.length;
    const { subscriptions } = this.network;
    for (const [index, channels] of this.#channels.entries()) {
      const product = this.choice.products[index] ?? "spot";
      const path = streamPath("v3", product, "public");
      const difference =
        channels.difference(story, isWhole) ?? channels.unread(subscriptions.channels(path));
      if (difference !== null) return difference;
    }
    return null;
  }

  async #recover(): Promise<void> {
    const { exchange, name } = this.trader;
    for (let waited = 0; ; waited += LOOK_MS) {
      const text = this.#notLive();
      if (text === null) return;
      if (this.network.failure !== null) throw this.network.failure;
      const detail = () => `${name} after ${waited} ms: ${text}`;
      hold(waited < RECOVERED_MS, "a client recovers in its time", detail);
      await exchange.pass(LOOK_MS);
    }
  }

  async #agree(books: readonly BookFollower[]): Promise<void> {
    const { exchange, name } = this.trader;
    for (let waited = 0; ; waited += LOOK_MS) {
      const text = this.#difference(books);
      if (text === null) return;
      const detail = () => `${name}: ${text}`;
      hold(waited < AGREED_MS, "a client knows what the exchange knows", detail);
      await exchange.pass(LOOK_MS);
      await checkStep(exchange);
      this.check();
    }
  }

  /** What time has brought a moment ago, as a funding, its streams tell at their next interval. */
  async #agreeAboutBalances(follower: AccountFollower): Promise<void> {
    const { exchange, name } = this.trader;
    for (let waited = 0; ; waited += LOOK_MS) {
      const asked = follower.balancesDiffer().catch((error: unknown) => {
        if (error instanceof NetworkError || error instanceof RialtoError) return null;
        throw error;
      });
      const difference = await exchange.life.until(asked);
      if (difference === null) return;
      const detail = () => `${name}: ${difference}`;
      hold(waited < AGREED_MS, "a client's balances are those of REST", detail);
      await exchange.pass(LOOK_MS);
    }
  }

  /** Ends it: its timers at once, and its connections as soon as the other side has answered. */
  async close(): Promise<void> {
    const { exchange, name } = this.trader;
    for (const follower of this.#followers) follower.end();
    for (const stream of [...this.#markets, ...this.#accounts]) stream.close();
    this.client.close();
    const channels = this.#channels;
    this.#channels = [];
    for (const ofOne of channels) ofOne.readAll();
    this.#markets = [];
    this.#accounts = [];
    this.#books = [];
    this.#tapes = [];
    this.#late = [];
    this.#followers = [];
    await passTime(exchange, 0);
    for (const ofOne of channels) ofOne.checkEnds();
    const { timers } = this.machine;
    hold(timers === 0, "a closed client leaves nothing behind", () => `${name}: ${timers} timers`);
    for (let waited = 0; waited < CLOSED_MS; waited += LOOK_MS) {
      if (this.network.connections === 0) break;
      await passTime(exchange, LOOK_MS);
    }
    const { connections } = this.network;
    const detail = () => `${name}: ${connections} connections`;
    hold(connections === 0, "a closed client leaves nothing behind", detail);
  }

  /** Without a word, as when its process dies. */
  drop(): void {
    for (const stream of [...this.#markets, ...this.#accounts]) stream.close();
    this.client.close();
    this.network.end();
  }
}
