/**
 * A persistent connection: opened by its first channel and reopened whenever it ends, with all
 * channels resubscribed. Waits between attempts grow and are random, so that the clients of a
 * restarted exchange do not all reconnect at once.
 */
import { StreamError } from "../errors.ts";
import { pause } from "../retries.ts";
import { type ClientRuntime, jittered, type SocketClass } from "../runtime.ts";
import type { WireMessage } from "./stream-events.ts";
import { type Probe, type StreamAnswer, StreamSession } from "./stream-session.ts";

/** What a sandbox says after it went back. */
const RESTORED = "restored";

export interface StreamState {
  readonly name: "idle" | "connecting" | "live" | "reconnecting" | "closed";
  /** Why it is not live any more. */
  readonly reason: string | null;
  /** Attempt number of this connect or reconnect, from 1. */
  readonly attempt: number;
  /** Live again after an interruption or a channel's refusal: events in between were missed. */
  readonly resumed: boolean;
}

/** Receives the messages of a channel. */
export interface ChannelSink {
  message(message: WireMessage): void;
  accepted(): void;
  /** Events were missed. */
  interrupted(): void;
  /** The channel has ended: with an error, or because it was closed. */
  ended(error: StreamError | null): void;
}

export interface ConnectionOptions {
  readonly socketClass: SocketClass;
  readonly runtime: ClientRuntime;
  readonly url: string;
  readonly probe: Probe;
  /** Subprotocols of a handshake; they may contain a fresh signature. */
  protocols(): Promise<readonly string[]>;
  /** Why a handshake fails permanently; null when it may succeed later. */
  diagnose(signal: AbortSignal): Promise<StreamError | null>;
}

interface Channel {
  readonly name: string;
  readonly sinks: Set<ChannelSink>;
  isAccepted: boolean;
  /** The session of its last subscription. */
  askedOf: StreamSession | null;
}

const FIRST_WAIT_MS = 250;
const WAIT_MAX_MS = 10_000;
/** A subscription rejected for now, as by a busy exchange, is retried after this. */
const REFUSED_WAIT_MS = 2_000;
const FINAL_REFUSAL = "INVALID_ARGUMENT";

export class StreamConnection {
  readonly #options: ConnectionOptions;
  readonly #channels = new Map<string, Channel>();
  readonly #listeners = new Set<(state: StreamState) => void>();
  readonly #closing = new AbortController();
  #state: StreamState = { name: "idle", reason: null, attempt: 0, resumed: false };
  #session: StreamSession | null = null;
  #latencyMs: number | null = null;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get state(): StreamState {
    return this.#state;
  }

  get latencyMs(): number | null {
    return this.#latencyMs;
  }

  onState(listener: (state: StreamState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns a function that removes the sink. */
  add(name: string, sink: ChannelSink): () => void {
    if (this.#state.name === "closed") {
      sink.ended(new StreamError("the connection was closed"));
      return () => undefined;
    }
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { name, sinks: new Set(), isAccepted: false, askedOf: null };
      this.#channels.set(name, channel);
      if (this.#state.name === "live") void this.#subscribe(channel);
    } else if (channel.isAccepted) {
      sink.accepted();
      // The initial state of the channel, once more.
      void this.resubscribe(name);
    }
    channel.sinks.add(sink);
    if (this.#state.name === "idle") void this.#run();
    return () => this.#remove(channel, sink);
  }

  /** Requests the initial state of a channel; all sinks of the channel get it. */
  async resubscribe(name: string): Promise<void> {
    const session = this.#session;
    // One that is not accepted yet brings its state when it is.
    if (session === null || this.#channels.get(name)?.isAccepted !== true) return;
    const answer = await session.ask("SUBSCRIBE", [name]);
    if (answer === null || answer.result || isFinal(answer)) return;
    await this.#pause(REFUSED_WAIT_MS);
    if (this.#session === session && this.#channels.has(name)) await this.resubscribe(name);
  }

  close(): void {
    this.#end(null);
  }

  #remove(channel: Channel, sink: ChannelSink): void {
    if (!channel.sinks.delete(sink)) return;
    sink.ended(null);
    if (channel.sinks.size > 0) return;
    this.#channels.delete(channel.name);
    const session = this.#session;
    // Also while the connection waits for the answers to its first subscriptions.
    if (session !== null && channel.askedOf === session) {
      void session.ask("UNSUBSCRIBE", [channel.name]);
    }
  }

  /** Until it is closed; every failure is followed by another attempt. */
  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let wasLive = false;
    this.#setState({ name: "connecting", reason: null, attempt: 1, resumed: false });
    for (let attempt = 1; !signal.aborted; attempt++) {
      const ended = await this.#oneSession(wasLive);
      if (signal.aborted) return;
      if (ended.wasLive) attempt = 0;
      wasLive ||= ended.wasLive;
      const name = wasLive ? "reconnecting" : "connecting";
      this.#setState({ name, reason: ended.reason, attempt: attempt + 1, resumed: false });
      const waitMs = Math.min(WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** attempt);
      await this.#pause(jittered(waitMs, this.#options.runtime));
      if (ended.wasOpen || signal.aborted) continue;
      // Directly before the next attempt: it corrects the clock, of which a sandbox's may run fast.
      const fatal = await this.#options.diagnose(signal);
      if (fatal !== null && !signal.aborted) this.#end(fatal);
    }
  }

  async #oneSession(
    isAgain: boolean,
  ): Promise<{ readonly reason: string; readonly wasOpen: boolean; readonly wasLive: boolean }> {
    const { runtime, socketClass, url, probe, protocols } = this.#options;
    let signed: readonly string[];
    try {
      signed = await protocols();
    } catch (error) {
      return { reason: `signing failed: ${String(error)}`, wasOpen: false, wasLive: false };
    }
    if (this.#closing.signal.aborted) return { reason: "closed", wasOpen: false, wasLive: false };
    const session = new StreamSession({
      socketClass,
      runtime,
      url,
      protocols: signed,
      probe,
      events: {
        message: (message) => this.#deliver(message),
        latency: (ms) => {
          this.#latencyMs = ms;
        },
      },
    });
    this.#session = session;
    const wasOpen = await session.opened;
    let wasLive = false;
    if (wasOpen) {
      await Promise.all([...this.#channels.values()].map((channel) => this.#subscribe(channel)));
      wasLive = this.#becomeLive(session, isAgain);
    }
    const reason = await session.ended;
    this.#session = null;
    this.#latencyMs = null;
    for (const channel of this.#channels.values()) {
      channel.isAccepted = false;
      for (const sink of [...channel.sinks]) sink.interrupted();
    }
    return { reason, wasOpen, wasLive };
  }

  /** False when the session has already ended. Subscribes to channels added in the meantime. */
  #becomeLive(session: StreamSession, isAgain: boolean): boolean {
    if (session.isOver) return false;
    this.#setState({ name: "live", reason: null, attempt: 0, resumed: isAgain });
    for (const channel of [...this.#channels.values()]) {
      if (channel.askedOf !== session) void this.#subscribe(channel);
    }
    return true;
  }

  async #subscribe(channel: Channel): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    channel.askedOf = session;
    const answer = await session.ask("SUBSCRIBE", [channel.name]);
    if (answer === null || this.#channels.get(channel.name) !== channel) return;
    if (answer.result) {
      channel.isAccepted = true;
      for (const sink of [...channel.sinks]) sink.accepted();
    } else if (isFinal(answer)) {
      this.#channels.delete(channel.name);
      endSinks(channel, new StreamError(`${channel.name}: ${answer.msg}`));
    } else void this.#subscribeLater(session, channel);
  }

  async #subscribeLater(session: StreamSession, channel: Channel): Promise<void> {
    await this.#pause(REFUSED_WAIT_MS);
    if (this.#session !== session || this.#channels.get(channel.name) !== channel) return;
    if (channel.isAccepted) return;
    await this.#subscribe(channel);
    // What happened while the others were live already, it has not told.
    if (channel.isAccepted) this.#resume();
  }

  /** Ends early when the connection is closed. */
  #pause(waitMs: number): Promise<void> {
    return pause(this.#options.runtime, waitMs, this.#closing.signal).catch(() => undefined);
  }

  /** A sandbox went back to an earlier state: what follows begins anew. */
  #restored(): void {
    for (const { sinks } of this.#channels.values()) {
      for (const sink of [...sinks]) sink.interrupted();
    }
    this.#resume();
  }

  /** Tells whoever follows channels that they have missed events. */
  #resume(): void {
    if (this.#state.name !== "live") return;
    this.#setState({ name: "live", reason: null, attempt: 0, resumed: true });
  }

  #deliver(message: WireMessage): void {
    if (message.event === RESTORED) {
      this.#restored();
      return;
    }
    const channel = this.#channels.get(channelOf(message));
    if (channel === undefined) return;
    for (const sink of [...channel.sinks]) sink.message(message);
  }

  #end(error: StreamError | null): void {
    if (this.#state.name === "closed") return;
    this.#closing.abort();
    this.#session?.end("closed");
    const reason = error?.message ?? null;
    this.#setState({ name: "closed", reason, attempt: 0, resumed: false });
    const channels = [...this.#channels.values()];
    this.#channels.clear();
    for (const channel of channels) endSinks(channel, error);
  }

  #setState(state: StreamState): void {
    if (this.#state.name === "closed") return;
    this.#state = state;
    for (const listener of [...this.#listeners]) callSafely(() => listener(state));
  }
}

/** Whoever is removed from it later changes nothing: by then its name may be another channel's. */
function endSinks({ sinks }: Channel, error: StreamError | null): void {
  const all = [...sinks];
  sinks.clear();
  for (const sink of all) sink.ended(error);
}

/** Exceptions of a caller's function go where uncaught errors go. */
export function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function isFinal({ msg }: StreamAnswer): boolean {
  return msg?.startsWith(FINAL_REFUSAL) === true;
}

/** The channel name of a message. */
function channelOf(message: WireMessage): string {
  const { e, s, l, p, d } = message;
  switch (e) {
    case "depth":
    case "depthSnapshot":
      // Without levels it is every change of the book.
      return `${s}@depth${l ?? ""}`;
    case "bookOrders":
    case "bookOrdersSnapshot":
      return `${s}@orders`;
    case "kline": {
      const [row] = d as readonly WireMessage[];
      return `${s}@kline_${row?.i}_${p}`;
    }
    case "ticker":
    case "trade":
    case "bookTicker":
      return `${s}@${e}`;
    default:
      return String(e);
  }
}
