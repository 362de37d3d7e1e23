/**
 * The network between simulated machines. Bytes take time, arrive in order, and wait while the way
 * is cut or the receiver stands still, as TCP's do; a process that is killed resets its
 * connections, and a machine without power says nothing.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { Claim, ListenAddress, Listener, Network } from "../../../src/platform/index.ts";
import type { Random } from "../../support/random.ts";
import type { SimulatedTime } from "../../support/simulated-machine.ts";

const FIRST_FREE_PORT = 50_000;
const QUICK_MS = 0.3;

type Parcel =
  | { readonly atMs: number; readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly atMs: number; readonly kind: "connected" | "end" | "reset" };

export class SimulatedNetwork {
  readonly time: SimulatedTime;
  readonly #random: Random;
  readonly #servers = new Map<string, Server>();
  readonly #ends = new Set<WireEnd>();
  /** Ways, "from to", on which nothing arrives at present. */
  readonly #cut = new Set<string>();
  readonly #slowMs = new Map<string, number>();
  readonly #still = new Set<string>();
  /** Machines without power. */
  readonly #down = new Set<string>();
  #ports = FIRST_FREE_PORT;

  constructor(time: SimulatedTime, random: Random) {
    this.time = time;
    this.#random = random;
  }

  /** As one machine has it. */
  of(host: string): Network {
    return {
      sharesPorts: false,
      listen: (listener, address) => this.#listen(host, listener, address),
      claim: (): Promise<Claim> => Promise.resolve({ release: () => undefined }),
      socket: () => this.socket(host) as unknown as Socket,
      lookup: (name, _, answer) => answer(new Error(`${name} is unknown`), []),
    };
  }

  socket(host: string): WireEnd {
    return new WireEnd(this, host);
  }

  async #listen(host: string, listener: Listener, { port }: ListenAddress): Promise<number> {
    // Pages are compressed in threads of Node.
    await this.time.hold(listener.ready());
    const bound = port === 0 ? this.#ports++ : port;
    this.serve(host, bound, listener.server);
    return bound;
  }

  serve(host: string, port: number, server: Server): void {
    this.#servers.set(`${host}:${port}`, server);
  }

  /** The other end of a connection; null when nobody listens there. */
  accept(client: WireEnd, host: string, port: number): WireEnd | null {
    const server = this.#servers.get(`${host}:${port}`);
    if (server === undefined) return null;
    const accepted = new WireEnd(this, host);
    accepted.peer = client;
    this.#ends.add(client).add(accepted);
    // With what was sent first: it has arrived when there is something to read.
    accepted.onArrival = () => server.emit("connection", accepted);
    return accepted;
  }

  /** It is there again, and resets what others still have of it. */
  start(host: string): void {
    if (!this.#down.delete(host)) return;
    for (const end of [...this.#ends]) if (end.peer?.host === host) end.look();
  }

  isDown(host: string): boolean {
    return this.#down.has(host);
  }

  forget(end: WireEnd): void {
    this.#ends.delete(end);
  }

  delayMs(from: string, to: string): number {
    const slowest = this.#slowMs.get(`${from} ${to}`) ?? QUICK_MS;
    return 0.05 + this.#random.next() * slowest;
  }

  isOpen(from: string, to: string): boolean {
    return !this.#cut.has(`${from} ${to}`) && !this.#still.has(to);
  }

  /** Nothing arrives in one direction until it is mended. */
  cut(from: string, to: string): void {
    this.#cut.add(`${from} ${to}`);
  }

  /** Both directions are open again, and what waited arrives. */
  join(one: string, other: string): void {
    this.#cut.delete(`${one} ${other}`);
    this.#cut.delete(`${other} ${one}`);
    this.#goOn();
  }

  slow(from: string, to: string, slowestMs: number): void {
    this.#slowMs.set(`${from} ${to}`, slowestMs);
  }

  /** Everybody reaches everybody again. */
  mend(): void {
    this.#cut.clear();
    this.#slowMs.clear();
    this.#goOn();
  }

  /** A machine that stands still takes nothing. */
  pause(host: string): void {
    this.#still.add(host);
  }

  resume(host: string): void {
    this.#still.delete(host);
    this.#goOn();
  }

  #goOn(): void {
    for (const end of [...this.#ends]) end.deliver();
  }

  /** Connections between two machines, or of one, are reset at both ends. */
  reset(host: string, other: string | null = null): void {
    for (const end of [...this.#ends]) {
      const isMeant = end.host === host && (other === null || end.peer?.host === other);
      if (isMeant) end.destroy();
    }
  }

  /**
   * A process is gone. Its connections are reset, or never heard of again when its machine lost
   * its power; what it had is not told of either.
   */
  remove(host: string, isSilent: boolean): void {
    for (const place of [...this.#servers.keys()]) {
      if (place.startsWith(`${host}:`)) this.#servers.delete(place);
    }
    this.#still.delete(host);
    if (isSilent) this.#down.add(host);
    for (const end of [...this.#ends]) if (end.host === host) end.abandon(isSilent);
  }
}

/** One end of a connection. */
export class WireEnd extends Duplex {
  readonly host: string;
  peer: WireEnd | null = null;
  remoteAddress = "127.0.0.1";
  remotePort = 1;
  onArrival: (() => void) | null = null;
  readonly #network: SimulatedNetwork;
  readonly #arriving: Parcel[] = [];
  #isDue = false;
  #isGone = false;
  #hasReset = false;

  constructor(network: SimulatedNetwork, host: string) {
    super({ allowHalfOpen: false });
    this.#network = network;
    this.host = host;
    // Whoever has lost interest in it does not end the process.
    this.on("error", () => undefined);
  }

  connect(port: number, host: string): this {
    const other = this.#network.accept(this, host, port);
    const { time } = this.#network;
    const delayMs = this.#network.delayMs(host, this.host);
    if (other === null) {
      const refused = Object.assign(new Error(`nobody listens on ${host}:${port}`), {
        code: "ECONNREFUSED",
      });
      time.after(delayMs, () => this.destroy(refused));
      return this;
    }
    this.peer = other;
    this.send({ kind: "connected" });
    other.send({ kind: "connected" });
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.send({ kind: "bytes", bytes: Buffer.from(bytes) });
    done();
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], done: () => void): void {
    this.send({ kind: "bytes", bytes: Buffer.concat(chunks.map(({ chunk }) => chunk)) });
    done();
  }

  override _final(done: () => void): void {
    this.send({ kind: "end" });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#reset();
    this.#network.forget(this);
    done(error);
  }

  #reset(): void {
    if (this.#hasReset) return;
    this.#hasReset = true;
    this.send({ kind: "reset" });
  }

  /** To the other end. */
  send(parcel: { readonly kind: Parcel["kind"]; readonly bytes?: Buffer }): void {
    const { peer } = this;
    if (peer === null || this.#isGone) return;
    if (peer.#isGone) {
      this.look();
      return;
    }
    const last = peer.#arriving.at(-1)?.atMs ?? 0;
    const nowMs = this.#network.time.nowMs + this.#network.delayMs(this.host, peer.host);
    peer.#arriving.push({ ...parcel, atMs: Math.max(last, nowMs) } as Parcel);
    peer.deliver();
  }

  /** When what was there is gone, a machine that is there says so. */
  look(): void {
    const { peer } = this;
    if (peer === null || !peer.#isGone || this.#network.isDown(peer.host)) return;
    this.#network.time.after(this.#network.delayMs(peer.host, this.host), () => {
      this.#hasReset = true;
      if (!this.#isGone) this.destroy();
    });
  }

  /** What has arrived, one parcel at a time. */
  deliver(): void {
    const [first] = this.#arriving;
    const { time } = this.#network;
    if (first === undefined || this.#isDue || this.#isGone) return;
    if (!this.#network.isOpen(this.peer?.host ?? "", this.host)) return;
    this.#isDue = true;
    time.after(first.atMs - time.nowMs, () => {
      this.#isDue = false;
      if (this.#isGone || !this.#network.isOpen(this.peer?.host ?? "", this.host)) return;
      this.#arriving.shift();
      this.#take(first);
      this.deliver();
    });
  }

  #take(parcel: Parcel): void {
    if (this.destroyed) return;
    switch (parcel.kind) {
      case "connected":
        if (this.onArrival === null) this.emit("connect");
        else this.onArrival();
        return;
      case "bytes":
        this.push(parcel.bytes);
        return;
      case "end":
        this.push(null);
        return;
      default:
        this.#hasReset = true;
        this.destroy();
    }
  }

  /** Its machine or process is gone, and hears of nothing any more. */
  abandon(isSilent: boolean): void {
    if (!isSilent) this.#reset();
    this.#isGone = true;
    this.#network.forget(this);
  }
}
