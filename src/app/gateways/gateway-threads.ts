/**
 * The gateways of an exchange, each in a thread of its own: starts them, passes requests, answers
 * and events through rings, and watches them. They share one port, on which the kernel gives every
 * connection to one of them. A gateway that fails or falls silent ends the process.
 */
import type { Platform, Thread, Timer } from "../../platform/index.ts";
import type { EnginePort } from "../../protocol/index.ts";
import { createRingMemory, RingWriter } from "../../threads/index.ts";
import type { Log } from "../log.ts";
import { createEngineRings, RingRequests } from "./engine-ring.ts";
import type { FromGateway, GatewayData, ToGateway } from "./messages.ts";
import { type ExchangeState, GatewayState } from "./shared-state.ts";
import { LOOK_EVERY_MS, Watchdog } from "./watchdog.ts";

/** Of durable events on their way to one gateway. */
const EVENT_RING_BYTES = 8 * 1024 * 1024;
/** The events of one batch; ten thousand fills take a quarter of it. */
const EVENT_RECORD_BYTES_MAX = 8 * 1024 * 1024 - 4;

export interface GatewayThreadsOptions {
  readonly count: number;
  readonly platform: Platform;
  readonly engine: EnginePort;
  readonly exchangeState: ExchangeState;
  readonly data: Pick<GatewayData, "config" | "logLevel" | "historyPath" | "demoAccounts">;
  readonly appliedSequence: number;
  /** The metrics of the process as text. */
  readonly renderMetrics: () => Promise<string>;
  readonly log: Log;
  readonly onFatal: (error: Error) => void;
}

/** An address that cannot be listened on, with the code of the system. */
export class CannotListen extends Error {
  override readonly name = "CannotListen";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class GatewayThreads {
  readonly #options: GatewayThreadsOptions;
  readonly #gateways: readonly GatewayThread[];
  readonly #looking: Timer;
  #silences = 0;

  constructor(options: GatewayThreadsOptions) {
    const { platform, log, onFatal } = options;
    this.#options = options;
    this.#gateways = Array.from({ length: options.count }, (_, i) => {
      return new GatewayThread(`gateway-${i + 1}`, options);
    });
    const watchdog = new Watchdog({
      watched: this.#gateways,
      monotonicMs: () => platform.clock.monotonicMs(),
      onSilent: (name, silentMs) => {
        this.#silences++;
        log.warn({ thread: name, silentMs }, "a gateway is silent");
      },
      onDead: (name, silentMs) => {
        onFatal(new Error(`${name} has been silent for ${Math.round(silentMs / 1000)} s`));
      },
    });
    this.#looking = platform.scheduler.every(LOOK_EVERY_MS, () => watchdog.look());
  }

  /** Resolves with the bound port when all gateways listen on it; rejects with `CannotListen`. */
  async listen(port: number): Promise<number> {
    const { host } = this.#options.data.config;
    const { network } = this.#options.platform;
    const claim = port === 0 ? null : await network.claim({ host, port });
    let bound = port;
    for (const gateway of this.#gateways) bound = await gateway.listen(bound);
    await claim?.release();
    return bound;
  }

  /** Known once both servers listen. */
  tellOperatorPort(port: number): void {
    for (const gateway of this.#gateways) gateway.tell({ kind: "operator-port", port });
  }

  /** Durable events, in order. */
  publish(chunk: Uint8Array): void {
    for (const gateway of this.#gateways) gateway.publish(chunk);
  }

  /** The history has come so far. */
  applied(sequence: number): void {
    for (const gateway of this.#gateways) gateway.tell({ kind: "applied", sequence });
  }

  /** How often a gateway fell silent. */
  get silences(): number {
    return this.#silences;
  }

  /** Open stream connections of all gateways. */
  get streams(): number {
    return this.#gateways.reduce((sum, { state }) => sum + state.streams, 0);
  }

  /** Answered requests of all gateways; counts on and wraps around. */
  get requests(): number {
    return this.#gateways.reduce((sum, { state }) => sum + state.requests, 0);
  }

  /** The metrics of every gateway, as its registry gives them. */
  count(): Promise<readonly object[]> {
    return Promise.all(this.#gateways.map((gateway) => gateway.count()));
  }

  /** Stops taking requests; resolves when those that were taken are answered. */
  async close(): Promise<void> {
    this.#looking.cancel();
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
  }
}

class GatewayThread {
  readonly name: string;
  readonly state = new GatewayState();
  readonly #options: GatewayThreadsOptions;
  readonly #thread: Thread;
  readonly #requests: RingRequests;
  readonly #events: RingWriter;
  readonly #exited = Promise.withResolvers<void>();
  readonly #counting = new Map<number, (metrics: object) => void>();
  #listening: PromiseWithResolvers<number> | null = null;
  #counts = 0;
  #isClosing = false;

  constructor(name: string, options: GatewayThreadsOptions) {
    this.name = name;
    this.#options = options;
    const { appliedSequence, data, engine, exchangeState, platform } = options;
    const rings = createEngineRings();
    const events = createRingMemory(EVENT_RING_BYTES, EVENT_RECORD_BYTES_MAX);
    const whole: GatewayData = {
      ...data,
      rings,
      events,
      exchangeState: exchangeState.memory,
      gatewayState: this.state.memory,
      appliedSequence,
    };
    this.#thread = platform.threads.start({
      module: new URL("./gateway-worker.ts", import.meta.url),
      name,
      data: whole,
    });
    const wakeGateway = () => this.tell(null);
    const soon = (turn: () => void) => void platform.scheduler.soon(turn);
    this.#requests = new RingRequests(engine, rings, wakeGateway, soon);
    this.#events = new RingWriter(events, wakeGateway);
    this.#thread.onMessage((message) => this.#take(message as FromGateway));
    this.#thread.onError((error) => this.#fail(error));
    this.#thread.onExit((code) => this.#exit(code));
    this.#requests.wake();
  }

  get beats(): number {
    return this.state.beats;
  }

  listen(port: number): Promise<number> {
    this.#listening = Promise.withResolvers<number>();
    this.tell({ kind: "listen", port });
    return this.#listening.promise;
  }

  /** Left out where nobody listens; without space the gateway is told that it missed some. */
  publish(chunk: Uint8Array): void {
    if (!this.state.listens) return;
    const fits = chunk.length <= this.#events.largestRecord;
    if (!fits || !this.#events.tryWrite(chunk)) this.state.miss();
    this.#events.flush();
  }

  tell(message: ToGateway): void {
    this.#thread.post(message);
  }

  count(): Promise<object> {
    const id = ++this.#counts;
    return new Promise((resolve) => {
      this.#counting.set(id, resolve);
      this.tell({ kind: "count", id });
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.tell({ kind: "stop" });
    await this.#exited.promise;
  }

  #take(message: FromGateway): void {
    if (message === null) {
      this.#requests.wake();
      return;
    }
    switch (message.kind) {
      case "listening":
        this.#listening?.resolve(message.port);
        break;
      case "cannot-listen":
        this.#listening?.reject(new CannotListen(message.code, message.message));
        break;
      case "counted":
        this.#counting.get(message.id)?.(message.metrics);
        this.#counting.delete(message.id);
        break;
      case "render":
        void this.#render(message.id);
        break;
      case "failed":
        this.#fail(message.error);
        break;
    }
  }

  async #render(id: number): Promise<void> {
    this.tell({ kind: "rendered", id, text: await this.#options.renderMetrics() });
  }

  #exit(code: number): void {
    if (!this.#isClosing) this.#fail(new Error(`it ended by itself with code ${code}`));
    this.#exited.resolve();
  }

  #fail(error: Error): void {
    this.#options.onFatal(new Error(`${this.name}: ${error.message}`, { cause: error }));
  }
}
