/** A gateway in a thread of its own: the public server, and what it shares with the engine. */
import type { TrafficCall } from "../../faults/index.ts";
import type { KeyOrder, KeyOutcome } from "../../gateway/key-desk.ts";
import { type KeyReplica, openKeyReplica } from "../../keys/index.ts";
import type { ThreadContext, Timer } from "../../platform/index.ts";
import { EngineClient } from "../../protocol/index.ts";
import { type HistoryProgress, HistoryReader } from "../../queries/index.ts";
import { RingInbox, RingReader } from "../../threads/index.ts";
import { createLog } from "../log.ts";
import { PublicServer } from "../public-server.ts";
import { TrafficMetrics } from "../traffic-metrics.ts";
import { RingPort } from "./engine-ring.ts";
import type { FromGateway, GatewayData, ToGateway } from "./messages.ts";
import { ExchangeState, GatewayState } from "./shared-state.ts";

const BEAT_MS = 250;
/** Of events, read in one turn of the event loop. */
const TURN_BYTES = 256 * 1024;

/** Serves until it is told to stop. */
export async function serveGateway(context: ThreadContext): Promise<void> {
  const { keys } = context.data as GatewayData;
  new Gateway(context, await openKeyReplica(keys));
}

class Gateway {
  readonly #context: ThreadContext;
  readonly #data: GatewayData;
  readonly #state: GatewayState;
  readonly #engine: RingPort;
  readonly #ring: RingReader;
  readonly #events: RingInbox;
  readonly #progress: Progress;
  readonly #history: HistoryReader;
  readonly #server: PublicServer;
  readonly #metrics: TrafficMetrics;
  readonly #beating: Timer;
  readonly #rendering = new Map<number, (text: string) => void>();
  #renders = 0;
  readonly #keyOrders = new Map<number, (outcome: KeyOutcome) => void>();
  #lastKeyOrder = 0;
  #operatorPort: number | null = null;

  constructor(context: ThreadContext, keys: KeyReplica) {
    this.#context = context;
    const data = context.data as GatewayData;
    this.#data = data;
    const { platform, port } = context;
    const { scheduler } = platform;
    this.#state = new GatewayState(data.gatewayState);
    const wakeEngine = () => this.#tell(null);
    const soon = (turn: () => void): void => {
      scheduler.soon(turn);
    };
    this.#engine = new RingPort(data.rings, wakeEngine, soon);
    const ring = new RingReader(data.events, wakeEngine);
    this.#ring = ring;
    this.#events = new RingInbox({ read: () => this.#readEvents(), ring, soon });
    this.#progress = new Progress(data.appliedSequence);
    this.#history = new HistoryReader({
      platform,
      path: data.historyPath,
      progress: this.#progress,
      onFailure: (error) => this.#fail(error),
    });
    this.#metrics = new TrafficMetrics(data.name, () => this.#state.answered());
    this.#server = this.#openServer(keys);
    port.onMessage((message) => this.#take(message as ToGateway));
    this.#beating = scheduler.every(BEAT_MS, () => this.#beat());
    this.#engine.wake();
    this.#events.wake();
  }

  #openServer(keys: KeyReplica): PublicServer {
    const { config, counts, demoAccounts, exchangeState, logLevel } = this.#data;
    const { platform } = this.#context;
    const exchange = new ExchangeState(exchangeState);
    return new PublicServer({
      config,
      platform,
      engine: new EngineClient(this.#engine),
      history: this.#history,
      keys,
      keyDesk: { carryOut: (order) => this.#orderKey(order) },
      exchangeMs: () => exchange.exchangeMs(platform.clock),
      notReadyBecause: () => exchange.notReadyBecause,
      metrics: this.#metrics,
      renderMetrics: () => this.#render(),
      log: createLog(logLevel),
      onFatal: (error) => this.#fail(error),
      counts,
      demoAccounts,
      operatorPort: () => this.#operatorPort,
      onListening: (listens) => {
        this.#state.listens = listens;
      },
    });
  }

  #take(message: ToGateway): void {
    if (message === null) {
      this.#engine.wake();
      this.#events.wake();
      return;
    }
    switch (message.kind) {
      case "operator-port":
        this.#operatorPort = message.port;
        break;
      case "listen":
        void this.#listen(message.port);
        break;
      case "applied":
        this.#progress.apply(message.sequence);
        break;
      case "restored":
        void this.#restored(message.historyPath, message.appliedSequence);
        break;
      case "count":
        void this.#count(message.id);
        break;
      case "traffic":
        void this.#answerTraffic(message.id, message.call);
        break;
      case "rendered":
        this.#rendering.get(message.id)?.(message.text);
        this.#rendering.delete(message.id);
        break;
      case "key-outcome":
        this.#keyOrders.get(message.id)?.(message.outcome);
        this.#keyOrders.delete(message.id);
        break;
      case "stop":
        void this.#stop();
        break;
    }
  }

  #readEvents(): number {
    const read = this.#ring.read((chunk) => this.#server.publish(chunk), TURN_BYTES);
    if (this.#state.takeMissed()) this.#server.missedEvents();
    return read;
  }

  /** The engine takes nothing meanwhile, so that the ring has no later events. */
  async #restored(historyPath: string, appliedSequence: number): Promise<void> {
    while (this.#readEvents() > 0);
    await this.#history.switchTo(historyPath);
    this.#progress.apply(appliedSequence);
    this.#server.restored();
    this.#tell({ kind: "restored" });
  }

  async #count(id: number): Promise<void> {
    this.#tell({
      kind: "counted",
      id,
      metrics: await this.#metrics.count(this.#server.connections),
    });
  }

  async #answerTraffic(id: number, call: TrafficCall): Promise<void> {
    const answer = await this.#server.callTraffic(call, () => this.#ring.isEmpty);
    this.#tell({ kind: "traffic-answer", id, answer });
  }

  /** The metrics of the process: this gateway alone does not know them. */
  #render(): Promise<string> {
    const id = ++this.#renders;
    return new Promise((resolve) => {
      this.#rendering.set(id, resolve);
      this.#tell({ kind: "render", id });
    });
  }

  #orderKey(order: KeyOrder): Promise<KeyOutcome> {
    const id = ++this.#lastKeyOrder;
    return new Promise((resolve) => {
      this.#keyOrders.set(id, resolve);
      this.#tell({ kind: "key-order", id, order });
    });
  }

  #beat(): void {
    this.#state.beat();
    this.#state.streams = this.#server.streams;
  }

  async #listen(port: number): Promise<void> {
    const { host } = this.#data.config;
    try {
      const bound = await this.#server.listen({ host, port, reusePort: true });
      this.#tell({ kind: "listening", port: bound });
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      this.#tell({ kind: "cannot-listen", code, message });
    }
  }

  async #stop(): Promise<void> {
    await this.#server.close();
    await this.#history.close();
    this.#beating.cancel();
    this.#data.keys.close();
    this.#context.port.close();
  }

  #fail(error: Error): void {
    this.#tell({ kind: "failed", error });
  }

  #tell(message: FromGateway): void {
    this.#context.port.post(message);
  }
}

/** How far the history is, as the engine's thread says. */
class Progress implements HistoryProgress {
  readonly #listeners: (() => void)[] = [];
  #appliedSequence: number;

  constructor(appliedSequence: number) {
    this.#appliedSequence = appliedSequence;
  }

  get appliedSequence(): number {
    return this.#appliedSequence;
  }

  onApplied(listener: () => void): void {
    this.#listeners.push(listener);
  }

  apply(sequence: number): void {
    this.#appliedSequence = sequence;
    for (const listener of this.#listeners) listener();
  }
}
