/**
 * One client: its requests, answered in order, its subscriptions, its heartbeat, and what happens
 * when it reads too slowly.
 *
 * When more than `CONFLATE_BYTES` are waiting, updates of channels that can be sent as a whole are
 * dropped, and their state is sent when the client has caught up. On channels whose updates must
 * not be dropped the client may fall behind by up to `CUT_BYTES` before it is disconnected.
 */
import type { RawData, WebSocket } from "ws";
import type { Scheduler } from "../../platform/index.ts";
import type { ChannelOpener } from "../channels/channel-opener.ts";
import type { Dialect, StreamRefusal, StreamRequest } from "../channels/dialect.ts";
import type { EndCause, StreamCaller, StreamClock, StreamMetrics } from "../channels/ports.ts";
import type { Subscriber, Topic } from "../channels/topic.ts";
import type { Outbox } from "./fan-out.ts";
import { CHANNELS_PER_CONNECTION, type ConnectionLimits } from "./limits.ts";

const CONFLATE_BYTES = 256 * 1024;
const CUT_BYTES = 1024 * 1024;
/** Below this a client has caught up. */
const CAUGHT_UP_BYTES = 32 * 1024;
const PINGS_MISSED_MAX = 5;
/** Requests that wait for an earlier one: two for each channel that a client may have. */
const WAITING_MAX = 2 * CHANNELS_PER_CONNECTION;
/** Time from our close until the connection is cut if the client does not answer. */
const CLOSE_MS = 1_000;

/** Close codes of RFC 6455. */
const CLOSE_CODES: Readonly<Record<EndCause, number>> = {
  stopping: 1001,
  "key-ended": 1008,
  "no-pong": 1008,
  "too-slow": 1008,
  misuse: 1008,
  // RFC 6455's registry: try again later.
  "missed-events": 1013,
};

export interface ConnectionOptions {
  readonly socket: WebSocket;
  /** The socket's outbox: everything but closes and protocol pongs goes through it. */
  readonly outbox: Pick<Outbox, "waitingBytes" | "post" | "flush" | "drop">;
  readonly caller: StreamCaller;
  readonly isPrivate: boolean;
  readonly dialect: Dialect;
  readonly channels: ChannelOpener;
  readonly limits: ConnectionLimits;
  readonly clock: StreamClock;
  readonly scheduler: Scheduler;
  readonly metrics: StreamMetrics;
  readonly onFatal: (error: Error) => void;
}

const TOO_MANY_OPERATIONS: StreamRefusal = {
  reason: "rate-limited",
  message: "too many subscriptions of this connection, try again later",
};

export class Connection implements Subscriber {
  readonly #options: ConnectionOptions;
  readonly #topics = new Map<string, Topic>();
  /** Channels whose updates were dropped. */
  readonly #lagging = new Set<Topic>();
  #pingsMissed = 0;
  #waiting = 0;
  #turn: Promise<void> = Promise.resolve();
  #isOpen = true;
  /** Counts how often the state behind the channels was replaced. */
  #restores = 0;
  /** Channels to subscribe to again, by name. */
  #suspended: readonly string[] = [];

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { socket } = options;
    socket.on("message", (data, isBinary) => this.#receive(data, isBinary));
    // A socket error is always followed by its close.
    socket.on("error", () => undefined);
  }

  /** For tests of a sandbox: as when the network fails. */
  cut(): void {
    this.close();
    this.#options.socket.terminate();
  }

  get apiKey(): string {
    return this.#options.caller.apiKey;
  }

  get isPrivate(): boolean {
    return this.#options.isPrivate;
  }

  get isLagging(): boolean {
    return this.#lagging.size > 0;
  }

  deliver(topic: Topic, frame: Buffer): void {
    if (!this.#isOpen) return;
    const { isPrivate, metrics, outbox } = this.#options;
    const { waitingBytes } = outbox;
    if (topic.conflates && (waitingBytes > CONFLATE_BYTES || this.#lagging.has(topic))) {
      this.#lagging.add(topic);
      metrics.streamConflated(topic.kind);
      return;
    }
    if (waitingBytes > CUT_BYTES) {
      this.end("too-slow", `too slow for ${topic.name}`);
      return;
    }
    metrics.streamSent(topic.kind);
    outbox.post(frame, isPrivate ? "prompt" : "paced");
  }

  /** Sends the state of the dropped updates, once the client has caught up. */
  catchUp(): void {
    if (this.#options.outbox.waitingBytes > CAUGHT_UP_BYTES) return;
    const lagging = [...this.#lagging];
    this.#lagging.clear();
    for (const topic of lagging) topic.repeat(this);
  }

  /** Sends a ping; a client that misses too many is disconnected. */
  ping(): void {
    if (this.#pingsMissed >= PINGS_MISSED_MAX) {
      this.end("no-pong", `no PONG to ${PINGS_MISSED_MAX} pings`);
      return;
    }
    this.#pingsMissed++;
    const { dialect, isPrivate } = this.#options;
    this.#send(dialect.ping(this.#time, isPrivate));
  }

  end(cause: EndCause, reason: string): void {
    if (!this.#isOpen) return;
    const { metrics, outbox, scheduler, socket } = this.#options;
    metrics.streamEnded(cause);
    outbox.flush();
    this.close();
    socket.close(CLOSE_CODES[cause], reason);
    scheduler.after(CLOSE_MS, () => socket.terminate(), "background");
  }

  /** Ends all subscriptions; also when the client has gone. */
  close(): void {
    this.#isOpen = false;
    this.#options.outbox.drop();
    this.#closeTopics();
  }

  #closeTopics(): void {
    for (const topic of this.#topics.values()) this.#options.channels.close(topic, this);
    this.#topics.clear();
    this.#lagging.clear();
  }

  /** What the client remembers may be of another venue, whose later commands are gone. */
  sendVenue(venue: string, restoredSequence: number): void {
    // Clients take a message with an `id` for an answer.
    this.#send({ event: "venue", venue, restoredSequence });
  }

  /**
   * The exchange went back to an earlier state. Says so, and sends nothing more of the channels
   * until `resume`.
   */
  suspend(): void {
    if (!this.#isOpen) return;
    this.#restores++;
    this.#suspended = [...this.#suspended, ...this.#topics.keys()];
    this.#closeTopics();
    this.#send({ event: "restored" });
  }

  /** Subscribes to the suspended channels again, which sends their present state. */
  resume(): void {
    if (!this.#isOpen || this.#suspended.length === 0) return;
    this.#turn = this.#turn.then(() => this.#subscribeAgain()).catch(this.#fail);
  }

  readonly #fail = (error: unknown): void => {
    this.#options.onFatal(error instanceof Error ? error : new Error(String(error)));
  };

  /** What is not listed any more is left out. */
  async #subscribeAgain(): Promise<void> {
    const names = this.#suspended;
    this.#suspended = [];
    for (const name of names) {
      if (this.#topics.has(name)) continue;
      const refusal = await this.#prepare([name]);
      if (!this.#isOpen) return;
      if (refusal === null) this.#openTopic(name);
      else if (refusal.reason === "overloaded") {
        this.end("missed-events", "updates were lost; connect again");
        return;
      }
    }
  }

  /** Again when the state was replaced meanwhile. */
  async #prepare(names: readonly string[]): Promise<StreamRefusal | null> {
    for (;;) {
      const restores = this.#restores;
      const refusal = await this.#options.channels.prepare(names);
      if (!this.#isOpen || restores === this.#restores) return refusal;
    }
  }

  #openTopic(name: string): void {
    const { channels } = this.#options;
    const topic = channels.open(name, this);
    if (topic === null) return;
    // Its first message may already exceed the limit.
    if (this.#isOpen) this.#topics.set(name, topic);
    else channels.close(topic, this);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (!this.#isOpen) return;
    const { dialect, limits, clock } = this.#options;
    if (isBinary || !Buffer.isBuffer(data)) {
      this.end("misuse", "messages are text");
      return;
    }
    if (!limits.takeMessage(clock.monotonicMs()) || this.#waiting >= WAITING_MAX) {
      this.end("misuse", "too many messages");
      return;
    }
    this.#waiting++;
    this.#turn = this.#turn
      .then(() => this.#answer(dialect.readRequest(data)))
      .catch(this.#fail)
      .finally(() => {
        this.#waiting--;
      });
  }

  async #answer(request: StreamRequest): Promise<void> {
    if (!this.#isOpen) return;
    const { dialect, isPrivate } = this.#options;
    switch (request.kind) {
      case "invalid":
        this.#refuse(request, { reason: "invalid-parameter", message: request.problem });
        break;
      case "pong":
      case "ping": {
        this.#pingsMissed = 0;
        const answer = dialect.alive(request, this.#time, isPrivate);
        if (answer !== null) this.#send(answer);
        break;
      }
      case "subscribe":
        await this.#subscribe(request, request.names);
        break;
      case "unsubscribe":
        this.#unsubscribe(request, request.names);
        break;
    }
  }

  async #subscribe(request: StreamRequest, names: readonly string[]): Promise<void> {
    const { dialect, limits, clock } = this.#options;
    if (!limits.takeOperation(clock.monotonicMs())) {
      this.#refuse(request, TOO_MANY_OPERATIONS);
      return;
    }
    const added = names.filter((name) => !this.#topics.has(name));
    if (!limits.hasRoomFor(this.#topics.size + added.length)) {
      const message = `more than ${CHANNELS_PER_CONNECTION} channels`;
      this.#refuse(request, { reason: "invalid-parameter", message });
      return;
    }
    const refusal = await this.#prepare(names);
    if (!this.#isOpen) return;
    if (refusal !== null) {
      this.#refuse(request, refusal);
      return;
    }
    this.#send(dialect.done(request));
    for (const name of names) {
      const known = this.#topics.get(name);
      if (known !== undefined) known.repeat(this);
      else this.#openTopic(name);
    }
  }

  #unsubscribe(request: StreamRequest, names: readonly string[]): void {
    const { dialect, channels, limits, clock } = this.#options;
    if (!limits.takeOperation(clock.monotonicMs())) {
      this.#refuse(request, TOO_MANY_OPERATIONS);
      return;
    }
    this.#suspended = this.#suspended.filter((name) => !names.includes(name));
    for (const name of names) {
      const topic = this.#topics.get(name);
      if (topic === undefined) continue;
      this.#topics.delete(name);
      this.#lagging.delete(topic);
      channels.close(topic, this);
    }
    this.#send(dialect.done(request));
  }

  #refuse(request: StreamRequest, refusal: StreamRefusal): void {
    this.#send(this.#options.dialect.refused(request, refusal));
  }

  /** Exchange time as text. */
  get #time(): string {
    return String(this.#options.clock.exchangeMs());
  }

  #send(message: object): void {
    if (!this.#isOpen) return;
    const { outbox } = this.#options;
    if (outbox.waitingBytes > CUT_BYTES) this.end("too-slow", "too slow for its answers");
    else outbox.post(Buffer.from(JSON.stringify(message)), "prompt");
  }
}
