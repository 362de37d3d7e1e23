/**
 * One life of the exchange on its simulated machine: from a start to a stop, a kill or a power cut.
 * Nothing of it happens afterwards, whatever was under way.
 */
import type { Duplex } from "node:stream";
import type { Config } from "../../src/app/config.ts";
import { startExchange } from "../../src/app/exchange.ts";
import type { RunningExchange } from "../../src/app/running-exchange.ts";
import { THREAD_BODIES } from "../../src/app/thread-bodies.ts";
import {
  type BodyPort,
  inlineThreads,
  type Platform,
  type Thread,
  type ThreadBody,
  type ThreadContext,
} from "../../src/platform/index.ts";
import { exchangeConfig } from "../support/exchange-config.ts";
import type { InlineAnswer, InlineRequest } from "../support/inline-http.ts";
import type { Random } from "../support/random.ts";
import type { SimulatedDisk } from "../support/simulated-disk.ts";
import { InlineNetwork, randomnessOf, SimulatedTime } from "../support/simulated-machine.ts";
import { Breach, MachineEnded } from "./breach.ts";
import { ArmedFileSystem } from "./faulty-disk.ts";
import { StepLimits, type Used } from "./step-limits.ts";

/** Simulated time in which everything must be done, slow disks included. */
const STUCK_AFTER_MS = 10 * 60_000;

export interface LifeOptions {
  readonly folder: string;
  readonly disk: SimulatedDisk;
  readonly random: Random;
  /** The wall clock at a moment of this life. */
  readonly wallMs: (lifeMs: number) => number;
  readonly settings: Pick<
    Config,
    "sandbox" | "streamIntervalMs" | "rateLimits" | "trustedProxies" | "sizes"
  >;
}

export class MachineLife {
  readonly time = new SimulatedTime();
  readonly files: ArmedFileSystem;
  readonly #network = new InlineNetwork(this.time);
  readonly #platform: Platform;
  readonly #options: LifeOptions;
  readonly #ended = Promise.withResolvers<never>();
  readonly #limits = new StepLimits();
  readonly #threads = new Set<Thread>();
  #exchange: RunningExchange | null = null;
  #isOver = false;
  /** Why the exchange wants to exit. */
  fatal: Error | null = null;
  /** The thread that fails at its next message. */
  failingThread: string | null = null;

  constructor(options: LifeOptions) {
    const { disk, random, wallMs } = options;
    const { time } = this;
    this.#options = options;
    this.files = new ArmedFileSystem(disk, time, random, () => this.end());
    time.onTurn = () => this.#limits.check(this.#used);
    const threads = inlineThreads(this.#bodies(), () => this.#platform);
    this.#platform = {
      clock: { wallMs: () => wallMs(time.nowMs), monotonicMs: () => time.nowMs, busyMs: () => 0 },
      scheduler: time,
      randomness: randomnessOf(random.integer(0, 0x7fffffff)),
      threads: {
        start: (started) => {
          const thread = threads.start(started);
          this.#threads.add(thread);
          thread.onExit(() => this.#threads.delete(thread));
          return thread;
        },
      },
      files: this.files,
      network: this.#network,
    };
    this.#ended.promise.catch(() => undefined);
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get #used(): Used {
    const { files, time } = this;
    return { turns: time.turns, calls: files.calls, simulatedMs: time.nowMs };
  }

  /** A step of the simulation begins: what it may take is counted from here. */
  beginStep(): void {
    this.#limits.begin(this.#used);
  }

  get running(): RunningExchange {
    if (this.#exchange === null) throw new Error("the exchange has not started");
    return this.#exchange;
  }

  async start(): Promise<void> {
    const { folder, settings } = this.#options;
    const config = exchangeConfig(folder, settings);
    const onFatal = (error: Error): void => {
      this.fatal ??= error;
      this.end();
    };
    this.#exchange = await this.until(startExchange(config, onFatal, this.#platform));
  }

  async stop(): Promise<void> {
    await this.until(this.running.stop());
    this.end();
  }

  /** The machine, or its process, is gone from now on. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended.reject(new MachineEnded("the machine is off"));
  }

  /** A check failed for which nobody waits: whoever waits for something hears of that. */
  fail(breach: Breach): void {
    this.#isOver = true;
    this.#ended.reject(breach);
  }

  /** Lets go of what a process that is gone would not hold: its connections and open files. */
  async bury(): Promise<void> {
    this.end();
    this.#network.end();
    for (const thread of this.#threads) void thread.terminate();
    await this.time.settle();
    this.time.end();
  }

  /** Rejects with `MachineEnded` when the machine stops first. */
  async until<Value>(work: Promise<Value>): Promise<Value> {
    const stuck = Promise.withResolvers<never>();
    const timer = this.time.after(STUCK_AFTER_MS, () => {
      stuck.reject(new Breach("progress", `nothing came within ${STUCK_AFTER_MS} ms`));
    });
    work.catch(() => undefined);
    try {
      return await this.time.until(Promise.race([work, this.#ended.promise, stuck.promise]));
    } finally {
      timer.cancel();
    }
  }

  async pass(ms: number): Promise<void> {
    const passed = new Promise<void>((resolve) => {
      this.time.after(ms, resolve);
    });
    await this.until(passed);
  }

  /** Who takes what the exchange sends to other machines. */
  set outside(outside: InlineNetwork["outside"]) {
    this.#network.outside = outside;
  }

  /** Addresses by the names that the exchange looks up. */
  set names(names: InlineNetwork["names"]) {
    this.#network.names = names;
  }

  connect(): Duplex {
    return this.#network.connect(this.running.port);
  }

  send(
    to: "public" | "operator",
    request: InlineRequest,
    connected?: (connection: Duplex) => void,
  ): Promise<InlineAnswer> {
    const { operatorPort, port } = this.running;
    return this.#network.send(to === "public" ? port : operatorPort, request, connected);
  }

  /** Bodies that fail, as by a defect of their own, when the schedule says so. */
  #bodies(): Record<string, ThreadBody> {
    const bodies = Object.entries(THREAD_BODIES).map(([name, body]) => {
      const failing: ThreadBody = (started) => {
        const { port } = started;
        const onMessage = (listener: (message: unknown) => void): void => {
          port.onMessage((message) => {
            if (this.failingThread === name) throw new Error(`simulated: ${name} fails`);
            listener(message);
          });
        };
        return body(this.#holdingWhileCopying({ ...started, port: { ...port, onMessage } }));
      };
      return [name, failing] as const;
    });
    return Object.fromEntries(bodies);
  }

  /** A copy takes real time: it begins when all others stand still, and they do until its end. */
  #holdingWhileCopying(context: ThreadContext): ThreadContext {
    const { port } = context;
    const held: unknown[] = [];
    let isPausing = false;
    let isCopying = false;
    let listen = (_: unknown): void => undefined;
    this.time.standStillWhile(() => isCopying);
    const next = (): unknown => {
      if (isCopying) return undefined;
      const message = held.length > 0 ? held[0] : port.take();
      if (!isCopyRequest(message)) {
        held.shift();
        return message;
      }
      if (held.length === 0) held.push(message);
      if (!isPausing) copy();
      return undefined;
    };
    const deliver = (): void => {
      while (held.length > 0 && !isCopying) {
        const message = next();
        if (message === undefined) return;
        listen(message);
      }
    };
    const copy = (): void => {
      isCopying = true;
      void this.time.standstill().then(() => listen(held.shift()));
    };
    const holding: BodyPort = {
      ...port,
      onMessage: (listener) => {
        listen = listener;
        port.onMessage((message) => {
          held.push(message);
          deliver();
        });
      },
      take: next,
      post: (message, transfer) => {
        port.post(message, transfer);
        if (!isCopyReply(message)) return;
        isCopying = false;
        deliver();
      },
    };
    const pause = async (delayMs: number): Promise<void> => {
      isPausing = true;
      await context.pause(delayMs);
      isPausing = false;
      deliver();
    };
    return { ...context, port: holding, pause };
  }
}

/** What the writer of the history is asked, and says, when SQLite copies its file in a thread. */
function isCopyRequest(message: unknown): boolean {
  return (message as { kind?: unknown } | null)?.kind === "copy";
}

function isCopyReply(message: unknown): boolean {
  return typeof message === "object" && message !== null && "copyFailure" in message;
}

export const THREAD_NAMES: readonly string[] = Object.keys(THREAD_BODIES).sort();
