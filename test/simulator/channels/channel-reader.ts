/**
 * A client that subscribes to channels and leaves them on one connection, beside requests that are
 * refused and heartbeats: each request has its answer, in their order, and nothing is told of a
 * channel that it is not subscribed to.
 */
import type { Row } from "../../support/account-histories.ts";
import { handshakeHeaders, type StreamMessage } from "../../support/stream-client.ts";
import { Breach, hold } from "../breach.ts";
import { isRefusedAsBusy } from "../busy.ts";
import { passTime } from "../pass-time.ts";
import { SimulatedSocket } from "../socket.ts";
import { inWordsOfV3, streamPath } from "../stream-versions.ts";
import type { Trader } from "../trader.ts";
import { type Channel, followerOf, type Party } from "./channel-names.ts";
import type { Follower } from "./followers.ts";

interface Waiting {
  readonly what: string;
  readonly fits: (answer: StreamMessage) => boolean;
  readonly heard: () => void;
}

interface Followed extends Channel {
  readonly follower: Follower;
}

/** Simulated time in which everything is told at the latest: candles come least often. */
const SETTLE_MS = 12_000;
const LOOK_MS = 200;
/** Otherwise the next check waits for it. */
const ANSWERED_MS = 1_000;
/** An hour's, of which some are left. */
const OPERATIONS_MAX = 150;
const PINGS_MISSED_MAX = 5;
/** Of a connection, in ten seconds and in an hour; the next operation is after so long. */
const MESSAGES_MAX = 200;
const MESSAGES_MS = 10_000;
const HOURLY_MAX = 240;
const AGAIN_MS = 15_000;

export class ChannelReader implements Party {
  readonly exchange;
  readonly product;
  readonly version;
  readonly isPrivate: boolean;
  readonly #trader: Trader | null;
  #socket: SimulatedSocket | null = null;
  #life = -1;
  #channels = new Map<string, Followed>();
  #waiting: Waiting[] = [];
  /** Versions of an account's channels, whatever becomes of connections. */
  readonly #versions = new Map<string, number>();
  #failure: string | null = null;
  #operations = 0;
  #nextId = 1;
  /** Pings before the last heartbeat that was answered. */
  #pingsAnswered = 0;
  /** Why the exchange may close the connection. */
  #mayEnd: { readonly code: number; readonly reason: string } | null = null;

  constructor({ exchange, product, version }: Omit<Party, "isPrivate">, trader: Trader | null) {
    this.exchange = exchange;
    this.product = product;
    this.version = version;
    this.isPrivate = trader !== null;
    this.#trader = trader;
  }

  get #name(): string {
    return `${this.#trader?.name ?? "reader"} ${this.product} ${this.version}`;
  }

  get names(): readonly string[] {
    return [...this.#channels.keys()];
  }

  get isConnected(): boolean {
    return this.#life === this.exchange.restarts && this.#socket?.isOpen === true;
  }

  /** Of which most answer pings; nothing is known of the channels of the connection before. */
  async connect(answersPings: boolean): Promise<boolean> {
    const { exchange } = this;
    const isWorn = exchange.limits !== null && this.#operations > OPERATIONS_MAX;
    if (this.isConnected && !isWorn) return true;
    this.close();
    const path = streamPath(this.version, this.product, this.isPrivate ? "private" : "public");
    this.#life = exchange.restarts;
    const opened = await SimulatedSocket.open(exchange, path, this.#headers(), (said) => {
      exchange.trace(`${this.#name} channels`, said);
      if (opened === this.#socket) this.#take(said);
    });
    exchange.checkRunning();
    if (opened === null) throw new Breach("streams", `${path} refuses ${this.#name}`);
    opened.answersPings = answersPings;
    this.#socket = opened;
    return this.isConnected;
  }

  #headers(): Record<string, string> {
    if (this.#trader === null) return {};
    const signedPath = `/${this.version}/ws/private`;
    return handshakeHeaders(this.#trader.credentials, this.exchange.signingTime(), signedPath);
  }

  close(): void {
    this.#socket?.close();
    this.#socket = null;
    this.#channels = new Map();
    this.#waiting = [];
    this.#operations = 0;
    this.#pingsAnswered = 0;
    this.#mayEnd = null;
  }

  /** Several channels at once in version 3, perhaps some of them twice, or known. */
  subscribe(channels: readonly Channel[]): void {
    this.#operate("SUBSCRIBE", channels, (channel) => {
      const known = this.#channels.get(channel.name);
      const followed = known ?? { ...channel, follower: followerOf(this, channel) };
      this.#channels.set(channel.name, followed);
      followed.follower.subscribed();
    });
  }

  /** Also of channels that nobody subscribed to, or that there are not. */
  unsubscribe(names: readonly string[]): void {
    const channels = names.map((name) => ({ name, kind: "", symbol: "" }));
    this.#operate("UNSUBSCRIBE", channels, ({ name }) => this.#channels.delete(name));
  }

  #operate(
    method: "SUBSCRIBE" | "UNSUBSCRIBE",
    channels: readonly Channel[],
    done: (channel: Channel) => unknown,
  ): void {
    this.#operations += this.version === "v3" ? 1 : channels.length;
    if (this.version === "v3") {
      const id = this.#nextId++;
      const params = channels.map(({ name }) => name);
      const different = [...new Map(channels.map((one) => [one.name, one])).values()];
      this.ask({ method, params, id }, { result: true, id }, () => different.forEach(done));
      return;
    }
    const event = method.toLowerCase();
    for (const channel of channels) {
      const answer = { event: `${event}d`, channel: channel.name };
      this.ask({ event, channel: channel.name }, answer, () => done(channel));
    }
  }

  /** A message, and its answer: as it must be, or what it must fit. */
  ask(
    message: object | string,
    answer: StreamMessage | ((said: StreamMessage) => boolean),
    heard: () => void = () => undefined,
  ): void {
    if (!this.isConnected) return;
    const what = typeof message === "string" ? message.slice(0, 200) : JSON.stringify(message);
    const due = JSON.stringify(answer);
    const fits =
      typeof answer === "function" ? answer : (said: StreamMessage) => JSON.stringify(said) === due;
    this.#waiting.push({ what, fits, heard });
    this.send(typeof message === "string" ? message : what);
  }

  /** An answer to whoever asks whether the client is there; on some connections there is none. */
  beat(random: { chance(share: number): boolean; integer(from: number, to: number): number }) {
    const isV3 = this.version === "v3";
    const heard = () => {
      this.#pingsAnswered = this.#socket?.pings ?? 0;
    };
    if (isV3 && this.isPrivate) return;
    if (isV3) {
      const id = this.#nextId++;
      return this.ask({ method: "PONG", id }, { result: true, id }, heard);
    }
    if (random.chance(0.3)) {
      // Without a time of its own it has the exchange's.
      const isTime = (said: StreamMessage) =>
        said.event === "pong" && /^\d{13}$/.test(String(said.time));
      const message = { event: "ping", ...(random.chance(0.5) ? { time: "9".repeat(33) } : {}) };
      return this.ask(message, isTime, heard);
    }
    const number = random.integer(0, 1e9);
    const time = random.chance(0.5) ? number : `t${number}`;
    this.ask({ event: "ping", time }, { event: "pong", time }, heard);
  }

  /** As it is, whatever comes of it. */
  send(message: string | Buffer): void {
    this.#socket?.send(message);
  }

  /** What ends the connection is sent next. */
  mayEnd(code: number, reason: string): void {
    this.#mayEnd = { code, reason };
    this.#waiting = [];
  }

  #take(said: StreamMessage): void {
    if (this.#failure !== null || said.event === "venue") return;
    // Its channels are as they were, but no version is.
    if (said.event === "restored") {
      this.#versions.clear();
      this.close();
      return;
    }
    try {
      const name = this.#channelOf(said);
      if (name === null) this.#takeAnswer(said);
      else this.#takeUpdate(name, said);
    } catch (error) {
      this.#failure = `${error instanceof Error ? error.message : error}: ${JSON.stringify(said)}`;
    }
  }

  /** As this client spells it; null for an answer. */
  #channelOf(said: StreamMessage): string | null {
    if (this.version === "v2") return said.event === "payload" ? String(said.channel) : null;
    const { d, e, l, p, s } = said;
    if (e === undefined) return null;
    if (this.isPrivate) return String(e);
    if (e === "kline") return `${s}@kline_${(d as readonly Row[])[0]?.i}_${p}`;
    return `${s}@${e === "depthSnapshot" || e === "depth" ? `depth${l ?? ""}` : e}`;
  }

  #takeAnswer(said: StreamMessage): void {
    const next = this.#waiting.shift();
    if (next === undefined) throw new Error("an answer to nothing");
    if (isRefusedAsBusy(said)) return;
    if (!next.fits(said)) throw new Error(`not the answer to ${next.what}`);
    next.heard();
  }

  #takeUpdate(name: string, said: StreamMessage): void {
    const followed = this.#channels.get(name);
    if (followed === undefined) throw new Error("a channel that nobody subscribed to");
    const message = inWordsOfV3(this.version, this.product, said);
    if (message === null) throw new Error("no update");
    if (this.isPrivate) this.#takeVersion(name, Number(message.v));
    this.#checkSpelling(followed, said);
    followed.follower.take(message);
  }

  /** Behind a pause somebody else may have listened meanwhile. */
  #takeVersion(name: string, version: number): void {
    const before = this.#versions.get(name) ?? 0;
    if (version < before) throw new Error(`version ${before}, then ${version}`);
    this.#versions.set(name, version);
  }

  /** Entries of version 2 have the symbol as the client spells it, but for trades. */
  #checkSpelling({ kind, name }: Channel, { data }: StreamMessage): void {
    if (this.version !== "v2" || this.isPrivate || kind === "trade") return;
    const [word, ...parts] = name.split(".");
    const spelt = word === "kline" ? parts[1] : parts[0];
    const other = (data as readonly Record<string, unknown>[]).find((row) => row.symbol !== spelt);
    if (other !== undefined) throw new Error(`not the symbol of ${name}`);
  }

  /** Whether it answers no ping. */
  get isDeaf(): boolean {
    return this.isConnected && this.#socket?.answersPings === false;
  }

  get isSettled(): boolean {
    return this.#waiting.length === 0;
  }

  /** All that was asked is answered, unless the connection broke. */
  async settle(): Promise<void> {
    for (let waited = 0; waited < ANSWERED_MS && !this.isSettled; waited++) {
      if (!this.isConnected || this.#failure !== null) return;
      await passTime(this.exchange, 1);
    }
  }

  /** While nobody sends anything: what is subscribed to has been told. */
  async check(): Promise<void> {
    this.checkEnd();
    const missing = () => {
      const found = [...this.#channels.values()].map(({ follower, name }) => {
        const what = follower.missing();
        return what === null ? [] : [`${name}: ${what}`];
      });
      const late = this.#waiting.map(({ what }) => `the answer to ${what}`);
      return [...found.flat(), ...late];
    };
    let left = this.isConnected ? missing() : [];
    for (let waited = 0; left.length > 0 && waited < SETTLE_MS; waited += LOOK_MS) {
      await passTime(this.exchange, LOOK_MS);
      left = this.isConnected ? missing() : [];
    }
    this.checkEnd();
    hold(left.length === 0, "channels tell all", () => `${this.#name}: ${left.join("\n  ")}`);
  }

  /** Nothing that must not be was told so far, and the connection ended for a reason. */
  checkEnd(): void {
    const told = () => `${this.#name}: ${this.#failure}`;
    hold(this.#failure === null, "channels tell what was subscribed to", told);
    const socket = this.#socket;
    if (socket === null || this.#life !== this.exchange.restarts) return;
    const { answersPings, closed, pings } = socket;
    const missed = answersPings ? 0 : pings - this.#pingsAnswered;
    const detail = () => `${this.#name}: ${missed} pings, ${JSON.stringify(closed)}`;
    hold(missed <= PINGS_MISSED_MAX, "who misses five pings is disconnected", detail);
    if (closed === null || ![1008, 1009].includes(closed.code)) return;
    const isDeaf =
      missed === PINGS_MISSED_MAX && closed.code === 1008 && closed.reason.startsWith("no PONG");
    const { code, reason } = this.#mayEnd ?? {};
    const isMeant = code === closed.code && closed.reason.startsWith(reason ?? "");
    hold(isDeaf || isMeant, "a connection ends for a reason", detail);
  }

  /**
   * On a connection of its own: 240 operations in an hour or 200 messages in 10 s, and no more.
   * They leave a channel that nobody is subscribed to.
   */
  async reachLimits(isOfOperations: boolean): Promise<void> {
    this.close();
    const { exchange } = this;
    const openedMs = exchange.life.time.nowMs;
    // Each answer to a ping would be a message, too.
    if (!(await this.connect(false))) return;
    let taken = 0;
    const operate = (count: number) => {
      for (let left = count; left > 0; left--) {
        const message = { method: "UNSUBSCRIBE", params: ["nothing"], id: 1 };
        const inV2 = { event: "unsubscribe", channel: "nothing" };
        this.ask(this.version === "v3" ? message : inV2, (said) => {
          const isTaken = said.result === true || said.event === "unsubscribed";
          if (isTaken) taken++;
          return isTaken || said.code === "429" || String(said.msg).startsWith("RATE_LIMITED: ");
        });
      }
    };
    operate(MESSAGES_MAX);
    await this.settle();
    if (isOfOperations) {
      await passTime(exchange, MESSAGES_MS);
      operate(2 * (HOURLY_MAX - MESSAGES_MAX));
      await this.settle();
    }
    if (!this.isConnected || !this.isSettled) return this.checkEnd();
    const most = HOURLY_MAX + (exchange.life.time.nowMs - openedMs) / AGAIN_MS;
    const isDue = isOfOperations ? taken >= HOURLY_MAX && taken <= most : taken === MESSAGES_MAX;
    hold(isDue, "limits are the published ones", () => `${taken} operations, at most ${most}`);
    if (!isOfOperations) {
      this.mayEnd(1008, "too many messages");
      for (let more = 0; more < MESSAGES_MAX; more++) this.send('{"event":"pong"}');
      await this.ends();
    }
    this.close();
  }

  /** What was sent last must end it. */
  async ends(): Promise<void> {
    for (let waited = 0; this.isConnected && waited < SETTLE_MS; waited += LOOK_MS) {
      await passTime(this.exchange, LOOK_MS);
    }
    hold(!this.isConnected, "a misused connection ends", () => JSON.stringify(this.#mayEnd));
  }
}
