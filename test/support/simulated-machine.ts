/**
 * A machine in one thread: its time passes when nothing is left to do, its threads take turns, its
 * disk is in memory and its network leads from a client in the same process to a server. What is
 * kept in SQLite and in small private files stays on the real disk.
 */
import { createHook } from "node:async_hooks";
import type { LookupAddress } from "node:dns";
import type { Server } from "node:http";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { Duplex, duplexPair } from "node:stream";
import { THREAD_BODIES } from "../../src/app/thread-bodies.ts";
import {
  type Claim,
  inlineThreads,
  type ListenAddress,
  type Listener,
  type Lookup,
  type Network,
  NODE_PLATFORM,
  type Platform,
  type Scheduler,
  type Timer,
} from "../../src/platform/index.ts";
import { type InlineAnswer, InlineHttp, type InlineRequest } from "./inline-http.ts";
import { Random } from "./random.ts";
import { FaultyFileSystem, SimulatedDisk } from "./simulated-disk.ts";

/** Turns of the real loop without any work, after which nothing is left to do now. */
const QUIET_TURNS = 1;
/** The same, when everything else stands still. */
const STANDSTILL_TURNS = 5;
/** Those in which everything stands still, after which it does so without the processor. */
const WAITING_TURNS = 1_000;
/** Far more than any run here takes. */
const TURNS_MAX = 5_000_000;

/** What takes no time here but turns of the loop: work of Node's own threads, and immediates. */
const REAL_WORK = /^(FSREQ|FILEHANDLECLOSEREQ|ZLIB|Immediate|(?!HTTP).*REQUEST$)/;

/** What stands for work of Node: a zlib has the bytes it is at, a cryptic job whom it calls. */
interface NodeWork {
  readonly buffer?: unknown;
  readonly ondone?: unknown;
}

/** A zlib may wait for bytes for ever, and of cryptic jobs those without a listener are done. */
function isUnderWay(type: string, { buffer = null, ondone }: NodeWork): boolean {
  if (type === "ZLIB") return buffer !== null;
  return !type.endsWith("REQUEST") || ondone !== undefined;
}

/** What Node has still to do: on the real disk, in its own threads, or in the next turn. */
class RealWork {
  readonly #running = new Map<number, readonly [type: string, work: WeakRef<NodeWork>]>();
  #isTurning = false;

  constructor() {
    const began = (id: number, type: string, _: number, work: object): void => {
      if (this.#isTurning || !REAL_WORK.test(type)) return;
      this.#running.set(id, [type, new WeakRef(work)]);
    };
    const called = (id: number): void => {
      if (this.#running.get(id)?.[0] !== "ZLIB") this.#running.delete(id);
    };
    // What is destroyed has no work left, which `isIdle` sees: to be told costs more.
    createHook({ init: began, after: called, trackPromises: false }).enable();
  }

  get isIdle(): boolean {
    return this.#isIdle(() => true);
  }

  /** Whether Node's own threads have nothing to do; turns may still have. */
  get isInTurnsAlone(): boolean {
    return this.#isIdle((type) => type !== "Immediate");
  }

  #isIdle(isMeant: (type: string) => boolean): boolean {
    for (const [id, [type, work]] of this.#running) {
      if (!isMeant(type)) continue;
      const left = work.deref();
      if (left !== undefined && isUnderWay(type, left)) return false;
      if (left === undefined || type !== "ZLIB") this.#running.delete(id);
    }
    return true;
  }

  /** The next turn of the loop, which is no work itself, or some that leave the processor. */
  turn(isIdle = false): Promise<void> {
    return new Promise((resolve) => {
      this.#isTurning = true;
      if (isIdle) setTimeout(resolve, 1);
      else setImmediate(resolve);
      this.#isTurning = false;
    });
  }
}

const realWork = new RealWork();

interface Waiting {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that passes only when nothing is left to do: then at once, until the next timer. */
export class SimulatedTime implements Scheduler {
  nowMs = 0;
  /** Of the event loop, while somebody waited for what takes no real time. */
  turns = 0;
  /** Called at each of them; what it throws ends the waiting. */
  onTurn: () => void = () => this.#checkTurns();
  #holds = 0;
  readonly #conditions: (() => boolean)[] = [];
  #hasEnded = false;
  #ready: (() => void)[] = [];
  readonly #timers = new Set<Waiting>();

  after(delayMs: number, run: () => void): Timer {
    const timer = { atMs: this.nowMs + Math.max(0, delayMs), run };
    if (!this.#hasEnded) this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
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
    let isWanted = true;
    const turn = (): void => {
      if (isWanted && !this.#hasEnded) run();
    };
    if (!this.#hasEnded) this.#ready.push(turn);
    return {
      cancel: () => {
        isWanted = false;
      },
    };
  }

  /** While work runs that takes real time, none passes here. */
  async hold<Value>(work: PromiseLike<Value>): Promise<Value> {
    this.#holds++;
    try {
      return await work;
    } finally {
      this.#holds--;
    }
  }

  /**
   * While the condition holds nothing goes on: how long work takes that Node tells nothing of must
   * not decide what is done before its end.
   */
  standStillWhile(condition: () => boolean): void {
    this.#conditions.push(condition);
  }

  get #standsStill(): boolean {
    return this.#conditions.some((condition) => condition());
  }

  /** Resolves when whatever can go on by itself has come to where it waits for others. */
  async standstill(): Promise<void> {
    for (let quiet = 0; quiet < STANDSTILL_TURNS; quiet++) {
      const waiting = this.#ready.length;
      await realWork.turn();
      if (this.#ready.length !== waiting || !realWork.isIdle) quiet = 0;
    }
  }

  /** The machine is off: whatever was to happen on it never does. */
  end(): void {
    this.#hasEnded = true;
    this.#ready = [];
    this.#timers.clear();
  }

  /** Lets time pass until the work is done. */
  async until<Value>(work: Promise<Value>): Promise<Value> {
    let isDone = false;
    const settled = work.finally(() => {
      isDone = true;
    });
    settled.catch(() => undefined);
    let waits = 0;
    for (let quiet = 0; !isDone; quiet++) {
      await realWork.turn(waits > WAITING_TURNS);
      // How many turns real work takes, the machine decides.
      waits = this.#standsStill ? waits + 1 : 0;
      if (!this.#standsStill && realWork.isIdle) this.turns++;
      this.onTurn();
      // What was done in this turn is done now, and no time passes behind it.
      if (isDone) break;
      // How long they take must not decide how much else is done before their end.
      const isHeld = this.#standsStill || !realWork.isInTurnsAlone;
      if (isHeld || this.#turn() || this.#holds > 0 || !realWork.isIdle) quiet = 0;
      else if (quiet >= QUIET_TURNS) {
        this.#pass();
        quiet = 0;
      }
    }
    return await settled;
  }

  /** Whoever looks at the real disk next finds nothing half done. */
  async realWorkDone(): Promise<void> {
    for (let turns = 0; !realWork.isIdle && turns < TURNS_MAX; turns++) {
      await realWork.turn();
    }
  }

  /** Does what is left to do now, while no time passes. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
      await realWork.turn();
      if (this.#turn() || !realWork.isIdle) quiet = 0;
    }
  }

  #checkTurns(): void {
    if (this.turns > TURNS_MAX) throw new Error("the work never ends");
  }

  #turn(): boolean {
    const ready = this.#ready;
    this.#ready = [];
    for (const run of ready) run();
    return ready.length > 0;
  }

  #pass(): void {
    const [first, ...others] = this.#timers;
    if (first === undefined) return;
    const next = others.reduce((best, one) => (one.atMs < best.atMs ? one : best), first);
    this.#timers.delete(next);
    this.nowMs = next.atMs;
    next.run();
  }
}

const FIRST_FREE_PORT = 50_000;

/** Servers by port; a connection is a pair of streams. */
export class InlineNetwork implements Network {
  readonly sharesPorts = false;
  readonly #servers = new Map<number, Server>();
  readonly #connections = new Set<Duplex>();
  readonly #time: SimulatedTime | null;
  readonly #http = new InlineHttp((port) => this.connect(port));
  /** Who takes connections to that port of other machines. */
  outside: (port: number) => ((connection: Duplex) => void) | null = () => null;
  /** Addresses by name. */
  names: ReadonlyMap<string, readonly string[]> = new Map();

  /** Without a time of its own, on the real machine's. */
  constructor(time: SimulatedTime | null = null) {
    this.#time = time;
  }

  async listen(listener: Listener, { port }: ListenAddress): Promise<number> {
    // The pages are compressed in threads of Node.
    await (this.#time === null ? listener.ready() : this.#time.hold(listener.ready()));
    const bound = port === 0 ? FIRST_FREE_PORT + this.#servers.size : port;
    this.#servers.set(bound, listener.server);
    return bound;
  }

  async claim(): Promise<Claim> {
    return { release: () => undefined };
  }

  /** One that leads to another machine, if somebody listens there. */
  socket(): Socket {
    const connect = ({ host = "", lookup, port }: Target): Duplex => {
      // A name is looked up at once.
      let failure: Error | null = null;
      if (isIP(host) === 0 && this.names.has(host)) {
        lookup?.(host, {}, (error) => {
          failure = error;
        });
      }
      if (failure !== null) return failedConnection(failure);
      const accept = this.outside(port);
      if (accept === null) return refusedConnection(port);
      const [mine, accepted] = duplexPair();
      mine.on("error", () => undefined);
      accepted.on("error", () => undefined);
      this.#connections.add(mine);
      mine.once("close", () => {
        this.#connections.delete(mine);
        accepted.destroy();
      });
      accept(accepted);
      return mine;
    };
    return { connect } as unknown as Socket;
  }

  lookup: Lookup = (name, _, answer) => {
    const addresses = this.names.get(name);
    if (addresses === undefined) return answer(new Error(`${name} is unknown`), []);
    const rows = addresses.map((address): LookupAddress => ({ address, family: isIP(address) }));
    answer(null, rows);
  };

  connect(port: number): Duplex {
    const server = this.#servers.get(port);
    if (server === undefined) throw new Error(`nobody listens on ${port}`);
    const [client, accepted] = duplexPair();
    Object.defineProperty(accepted, "remoteAddress", { value: "127.0.0.1" });
    client.on("error", () => undefined);
    accepted.on("error", () => undefined);
    this.#connections.add(client);
    client.once("close", () => {
      this.#connections.delete(client);
      accepted.destroy();
    });
    server.emit("connection", accepted);
    return client;
  }

  /** Every connection breaks, and nobody listens any more. */
  end(): void {
    this.#servers.clear();
    for (const connection of this.#connections) connection.destroy();
  }

  /** Rejects when the connection breaks first; `connected` is given a connection of its own. */
  send(
    port: number,
    request: InlineRequest,
    connected?: (connection: Duplex) => void,
  ): Promise<InlineAnswer> {
    return this.#http.send(port, request, connected);
  }
}

interface Target {
  readonly host?: string;
  readonly port: number;
  readonly lookup?: LookupFunction;
}

function refusedConnection(port: number): Duplex {
  const why = new Error(`connect ECONNREFUSED ${port}`);
  return failedConnection(Object.assign(why, { code: "ECONNREFUSED" }));
}

function failedConnection(why: Error): Duplex {
  return new Duplex({ construct: (done) => done(why) });
}

/** A platform, and how to wait for what happens on it. */
export interface Machine {
  readonly platform: Platform;
  readonly network: InlineNetwork;
  until<Value>(work: Promise<Value>): Promise<Value>;
}

/** What two machines must have in common to come to the same state. */
export interface Surroundings {
  readonly wallMs: () => number;
  readonly seed: number;
}

export function randomnessOf(seed: number): Platform["randomness"] {
  const random = new Random(seed);
  return {
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => random.integer(0, 255))),
  };
}

/** Everything in the calling thread. */
export function simulatedMachine({ wallMs, seed }: Surroundings): Machine {
  const time = new SimulatedTime();
  const network = new InlineNetwork(time);
  const platform: Platform = {
    clock: { wallMs, monotonicMs: () => time.nowMs, busyMs: () => 0 },
    scheduler: time,
    randomness: randomnessOf(seed),
    threads: inlineThreads(THREAD_BODIES, () => platform),
    files: new FaultyFileSystem(new SimulatedDisk()),
    network,
  };
  return { platform, network, until: (work) => time.until(work) };
}

/** The real machine with its threads; only wall clock, randomness and network are given. */
export function threadedMachine({ wallMs, seed }: Surroundings): Machine {
  const network = new InlineNetwork();
  const clock = { ...NODE_PLATFORM.clock, wallMs };
  const platform = { ...NODE_PLATFORM, clock, randomness: randomnessOf(seed), network };
  return { platform, network, until: (work) => work };
}
