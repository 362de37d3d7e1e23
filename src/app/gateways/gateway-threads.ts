/**
 * The gateways of an exchange, each in a thread of its own: starts them, passes requests, answers
 * and events through rings, and watches them. They share one port, on which the kernel gives every
 * connection to one of them. A gateway that fails or falls silent ends the process.
 */
import type { TrafficAnswer, TrafficCall } from "../../faults/index.ts";
import type { KeyOrder } from "../../gateway/key-desk.ts";
import type { Thread, Timer } from "../../platform/index.ts";
import { createRingMemory, RingWriter } from "../../threads/index.ts";
import type { ClockReading } from "../exchange-clock.ts";
import { publicConfigOf, resetSharedCounts, type SharedCounts } from "../public-server.ts";
import { createEngineRings, RingRequests } from "./engine-ring.ts";
import type { GatewayOptions, Gateways } from "./gateways.ts";
import type { FromGateway, GatewayData, ToGateway } from "./messages.ts";
import { ExchangeState, GatewayState } from "./shared-state.ts";
import { LOOK_EVERY_MS, Watchdog } from "./watchdog.ts";

/** Of durable events on their way to one gateway. */
const EVENT_RING_BYTES = 8 * 1024 * 1024;
/** The events of one batch; ten thousand fills take a quarter of it. */
const EVENT_RECORD_BYTES_MAX = 8 * 1024 * 1024 - 4;

export interface GatewayThreadsOptions extends GatewayOptions {
  readonly count: number;
  /** Exchange time as of the last command. */
  readonly time: { readonly timestampMs: number };
  readonly clock: { readonly clockReading: ClockReading };
}

/** An address that cannot be listened on, with the code of the system. */
class CannotListen extends Error {
  override readonly name = "CannotListen";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class GatewayThreads implements Gateways {
  readonly #options: GatewayThreadsOptions;
  readonly #state = new ExchangeState();
  readonly #gateways: readonly GatewayThread[];
  readonly #looking: Timer;
  #shownReading: ClockReading | null = null;

  constructor(options: GatewayThreadsOptions) {
    const { counts, platform, history, log, onFatal } = options;
    this.#options = options;
    this.#showState();
    this.#gateways = Array.from({ length: options.count }, (_, i) => {
      return new GatewayThread(`gateway-${i + 1}`, options, this.#state, counts);
    });
    const watchdog = new Watchdog({
      watched: this.#gateways,
      monotonicMs: () => platform.clock.monotonicMs(),
      onSilent: (name, silentMs) => log.warn({ thread: name, silentMs }, "a gateway is silent"),
      onDead: (name, silentMs) => {
        onFatal(new Error(`${name} has been silent for ${Math.round(silentMs / 1000)} s`));
      },
    });
    this.#looking = platform.scheduler.every(LOOK_EVERY_MS, () => {
      this.#showState();
      watchdog.look();
    });
    history.writer.onApplied(() => {
      const sequence = history.writer.appliedSequence;
      for (const gateway of this.#gateways) gateway.tell({ kind: "applied", sequence });
    });
  }

  get threads(): number {
    return this.#gateways.length;
  }

  get streams(): number {
    return this.#gateways.reduce((sum, { state }) => sum + state.streams, 0);
  }

  get requests(): number {
    return this.#gateways.reduce((sum, { state }) => sum + state.requests, 0);
  }

  /** Rejects with `CannotListen`. */
  async listen(port: number): Promise<number> {
    const { config, platform } = this.#options;
    const claim = await platform.network.claim({ host: config.host, port });
    try {
      let bound = port;
      for (const gateway of this.#gateways) bound = await gateway.listen(bound);
      return bound;
    } finally {
      claim.release();
    }
  }

  showOperatorPort(port: number): void {
    for (const gateway of this.#gateways) gateway.tell({ kind: "operator-port", port });
  }

  publish(chunk: Uint8Array): void {
    this.#showState();
    for (const gateway of this.#gateways) gateway.publish(chunk);
  }

  callTraffic(call: TrafficCall): Promise<readonly TrafficAnswer[]> {
    return Promise.all(this.#gateways.map((gateway) => gateway.callTraffic(call)));
  }

  count(): Promise<readonly object[]> {
    return Promise.all(this.#gateways.map((gateway) => gateway.count()));
  }

  async restored(path: string): Promise<void> {
    resetSharedCounts(this.#options.counts);
    this.#showState();
    const { appliedSequence } = this.#options.history.writer;
    await Promise.all(this.#gateways.map((gateway) => gateway.restored(path, appliedSequence)));
  }

  async close(): Promise<void> {
    this.#looking.cancel();
    this.#showState();
    await Promise.all(this.#gateways.map((gateway) => gateway.close()));
  }

  /** What changes with a batch is shown with its events, the rest a little later. */
  #showState(): void {
    const { clock, notReadyBecause, time } = this.#options;
    this.#state.setTime(time.timestampMs);
    const reading = clock.clockReading;
    if (reading !== this.#shownReading) this.#state.setClock(reading);
    this.#shownReading = reading;
    this.#state.setNotReady(notReadyBecause());
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
  readonly #calls = new Map<number, (answer: TrafficAnswer) => void>();
  #restoring: PromiseWithResolvers<void> | null = null;
  #counts = 0;
  #isClosing = false;

  constructor(
    name: string,
    options: GatewayThreadsOptions,
    exchange: ExchangeState,
    counts: SharedCounts,
  ) {
    this.name = name;
    this.#options = options;
    const { config, demoAccounts, engine, history, keys, platform } = options;
    const rings = createEngineRings();
    const events = createRingMemory(EVENT_RING_BYTES, EVENT_RECORD_BYTES_MAX);
    const keysChannel = new MessageChannel();
    const data: GatewayData = {
      name,
      config: publicConfigOf(config),
      logLevel: config.logLevel,
      historyPath: history.path,
      appliedSequence: history.writer.appliedSequence,
      demoAccounts,
      counts,
      keys: keysChannel.port2,
      rings,
      events,
      exchangeState: exchange.memory,
      gatewayState: this.state.memory,
    };
    this.#thread = platform.threads.start({
      module: new URL("./gateway-worker.ts", import.meta.url),
      name,
      data,
      transfer: [keysChannel.port2],
    });
    keys.directory.addReplica(keysChannel.port1);
    const wakeGateway = () => this.tell(null);
    const soon = (turn: () => void): void => {
      platform.scheduler.soon(turn);
    };
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

  restored(historyPath: string, appliedSequence: number): Promise<void> {
    this.#restoring = Promise.withResolvers<void>();
    this.tell({ kind: "restored", historyPath, appliedSequence });
    return this.#restoring.promise;
  }

  count(): Promise<object> {
    const id = ++this.#counts;
    return new Promise((resolve) => {
      this.#counting.set(id, resolve);
      this.tell({ kind: "count", id });
    });
  }

  callTraffic(call: TrafficCall): Promise<TrafficAnswer> {
    const id = ++this.#counts;
    return new Promise((resolve) => {
      this.#calls.set(id, resolve);
      this.tell({ kind: "traffic", id, call });
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
      case "restored":
        this.#restoring?.resolve();
        break;
      case "counted":
        this.#counting.get(message.id)?.(message.metrics);
        this.#counting.delete(message.id);
        break;
      case "traffic-answer":
        this.#calls.get(message.id)?.(message.answer);
        this.#calls.delete(message.id);
        break;
      case "key-order":
        void this.#orderKey(message.id, message.order);
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

  async #orderKey(id: number, order: KeyOrder): Promise<void> {
    const outcome = await this.#options.keyDesk.carryOut(order);
    this.tell({ kind: "key-outcome", id, outcome });
  }

  #exit(code: number): void {
    if (!this.#isClosing) this.#fail(new Error(`it ended by itself with code ${code}`));
    this.#exited.resolve();
  }

  #fail(error: Error): void {
    this.#options.onFatal(new Error(`${this.name}: ${error.message}`, { cause: error }));
  }
}
