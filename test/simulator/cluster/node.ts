/**
 * One node of a simulated cluster: the program on a machine of its own, with a disk, a clock that
 * runs a little wrong, and a supervisor that starts it again. A process stops at any turn; what it
 * had is gone, and its disk is what a kill or a power cut leaves.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { NodeEnded } from "../../../src/app/cluster/node-ended.ts";
import { StartRefused } from "../../../src/app/config.ts";
import { startExchange } from "../../../src/app/exchange.ts";
import type { RunningExchange } from "../../../src/app/running-exchange.ts";
import { THREAD_BODIES } from "../../../src/app/thread-bodies.ts";
import {
  inlineThreads,
  type Platform,
  type Scheduler,
  type Thread,
  type Timer,
} from "../../../src/platform/index.ts";
import { exchangeConfig } from "../../support/exchange-config.ts";
import type { Random } from "../../support/random.ts";
import { type PowerCut, SimulatedDisk } from "../../support/simulated-disk.ts";
import { randomnessOf, type SimulatedTime } from "../../support/simulated-machine.ts";
import { ArmedFileSystem } from "../faulty-disk.ts";
import type { SimulatedNetwork } from "./network.ts";

export const OPERATOR_TOKEN = "token-of-all-nodes-of-the-simulated-cluster";
const BURIED_MS = 1;
/** Of a supervisor, before it starts a process again. */
const RESTART_MS = 1000;

export interface ClusterPlace {
  readonly folder: string;
  readonly masterKeyFile: string;
  readonly postgresUrls: readonly string[];
  readonly network: SimulatedNetwork;
  readonly time: SimulatedTime;
  readonly wallMs: () => number;
  readonly streamIntervalMs: number;
  /** What becomes of commits that no standby has shown yet. */
  readonly confirm: "async" | "strict";
  /** A node ended as none may. */
  readonly onBreach: (node: string, error: Error) => void;
}

/** What is due on a machine, in its own time: nothing while it stands still, or when it is off. */
class OwnTime implements Scheduler {
  readonly #time: SimulatedTime;
  /** How fast its clock is. */
  readonly rate: number;
  isStill = false;
  isOff = false;
  readonly #held: (() => void)[] = [];
  /** Turns until `onTurn` is called, once. */
  turnsLeft: number | null = null;
  onTurn: () => void = () => undefined;

  constructor(time: SimulatedTime, rate: number) {
    this.#time = time;
    this.rate = rate;
  }

  get nowMs(): number {
    return this.#time.nowMs * this.rate;
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#time.after(delayMs / this.rate, () => this.#do(run));
  }

  every(periodMs: number, run: () => void): Timer {
    const again = (): Timer =>
      this.after(periodMs, () => {
        next = again();
        run();
      });
    let next = again();
    return { cancel: () => next.cancel() };
  }

  soon(run: () => void): Timer {
    return this.#time.soon(() => this.#do(run));
  }

  #do(run: () => void): void {
    if (this.isOff) return;
    if (this.isStill) {
      this.#held.push(run);
      return;
    }
    if (this.turnsLeft !== null && this.turnsLeft-- <= 0) {
      this.turnsLeft = null;
      this.onTurn();
      this.#do(run);
      return;
    }
    run();
  }

  resume(): void {
    this.isStill = false;
    for (const run of this.#held.splice(0)) this.#do(run);
  }
}

/** From a start to an end. */
interface Life {
  readonly folder: string;
  readonly own: OwnTime;
  readonly files: ArmedFileSystem;
  readonly threads: Set<Thread>;
  exchange: RunningExchange | null;
  isOver: boolean;
}

export class ClusterNode {
  readonly name: string;
  readonly #place: ClusterPlace;
  readonly #random: Random;
  readonly #rate: number;
  readonly #skewMs: number;
  #disk = new SimulatedDisk();
  #life: Life | null = null;
  #lives = 0;
  /** The supervisor leaves it alone. */
  isHeldDown = false;
  starts = 0;

  constructor(name: string, place: ClusterPlace, random: Random) {
    this.name = name;
    this.#place = place;
    this.#random = random;
    this.#rate = 0.97 + random.next() * 0.06;
    this.#skewMs = random.integer(-300, 300);
    mkdirSync(this.dataFolder, { mode: 0o700, recursive: true });
  }

  /** On the simulated disk, and on the real one what is kept there. */
  get dataFolder(): string {
    return join(this.#place.folder, `${this.name}-${this.#lives}`);
  }

  get disk(): SimulatedDisk {
    return this.#disk;
  }

  /** Null while it does not serve. */
  get running(): RunningExchange | null {
    return this.#life?.exchange ?? null;
  }

  get isAlive(): boolean {
    return this.#life !== null;
  }

  get isStill(): boolean {
    return this.#life?.own.isStill === true;
  }

  start(): void {
    this.isHeldDown = false;
    if (this.#life !== null) return;
    const { network, time } = this.#place;
    network.start(this.name);
    const own = new OwnTime(time, this.#rate);
    const files = new ArmedFileSystem(this.#disk, time, this.#random, () => this.kill("kill"));
    const threads = new Set<Thread>();
    const folder = this.dataFolder;
    const life: Life = { folder, own, files, threads, exchange: null, isOver: false };
    this.#life = life;
    this.starts++;
    startExchange(this.#config, (error) => this.#ended(life, error), this.#platform(life)).then(
      (exchange) => {
        life.exchange = exchange;
      },
      (error: Error) => this.#ended(life, error),
    );
  }

  get #config() {
    const { masterKeyFile, postgresUrls, streamIntervalMs } = this.#place;
    const listen = { host: this.name, port: 0 };
    const { confirm } = this.#place;
    return exchangeConfig(this.dataFolder, {
      host: this.name,
      streamIntervalMs,
      masterKeyFile,
      operatorToken: OPERATOR_TOKEN,
      cluster: { postgresUrls, node: this.name, advertise: null, listen, confirm },
    });
  }

  #platform({ files, own, threads }: Life): Platform {
    const { network, wallMs } = this.#place;
    const inline = inlineThreads(THREAD_BODIES, () => platform);
    const platform: Platform = {
      clock: {
        wallMs: () => Math.floor(wallMs()) + this.#skewMs,
        monotonicMs: () => own.nowMs,
        busyMs: () => 0,
      },
      scheduler: own,
      randomness: randomnessOf(this.#random.integer(0, 0x7fffffff)),
      threads: {
        start: (options) => {
          const thread = inline.start(options);
          threads.add(thread);
          thread.onExit(() => threads.delete(thread));
          return thread;
        },
      },
      files,
      network: network.of(this.name),
    };
    return platform;
  }

  /** The process ends by itself; its supervisor starts it again. */
  #ended(life: Life, error: Error): void {
    if (life.isOver) return;
    const isMeant = error instanceof NodeEnded && error.exitCode === 75;
    const isRefused = error instanceof StartRefused && /no usable primary/.test(error.message);
    if (!isMeant && !isRefused && !life.files.hasFailed) this.#place.onBreach(this.name, error);
    this.#bury(life, "kill", false);
    this.#startLater();
  }

  #startLater(): void {
    this.#place.time.after(RESTART_MS, () => {
      if (!this.isHeldDown) this.start();
    });
  }

  /** `kill -9`, or the power of its machine is gone; it stays down until it is started. */
  kill(how: "kill" | PowerCut): void {
    this.isHeldDown = true;
    if (this.#life !== null) this.#bury(this.#life, how, how !== "kill");
  }

  /** After so many turns of its work from now. */
  after(turns: number, run: () => void): void {
    if (this.#life === null) return;
    this.#life.own.turnsLeft = turns;
    this.#life.own.onTurn = run;
  }

  pause(): void {
    if (this.#life === null) return;
    this.#life.own.isStill = true;
    this.#place.network.pause(this.name);
  }

  resume(): void {
    this.#place.network.resume(this.name);
    this.#life?.own.resume();
  }

  /** One of its next calls of the disk fails. */
  failDisk(inCalls: number): void {
    const fault = { kind: "error", code: "EIO" } as const;
    this.#life?.files.arm({ inCalls, fault, of: null });
  }

  /** As a supervisor asks for it. */
  stop(): void {
    const life = this.#life;
    if (life?.exchange == null || life.own.isStill) return;
    life.exchange.stop().then(
      () => {
        if (life.isOver) return;
        this.#bury(life, "kill", false);
        this.#startLater();
      },
      (error: Error) => this.#ended(life, error),
    );
  }

  #bury(life: Life, how: "kill" | PowerCut, isSilent: boolean): void {
    if (life.isOver) return;
    life.isOver = true;
    this.#life = null;
    const { network, time } = this.#place;
    network.remove(this.name, isSilent);
    this.#lives++;
    const survived =
      how === "kill" ? this.#disk.afterKill() : this.#disk.afterPowerCut(how, this.#random);
    cpSync(life.folder, this.dataFolder, {
      recursive: true,
      filter: (path) => basename(path) !== "lock.db",
    });
    survived.renameFolder(life.folder, this.dataFolder);
    this.#disk = survived;
    // What its threads have open is let go of; nobody hears of what they still do.
    life.own.isStill = false;
    for (const thread of life.threads) void thread.terminate();
    time.after(BURIED_MS, () => {
      life.own.isOff = true;
      rmSync(life.folder, { recursive: true, force: true });
    });
  }
}
