/**
 * Connection limits. Each address has a share, so that none can lock out the others. The last
 * quarter of all slots is for addresses that hold few: shares shrink and idle connections close
 * sooner. Slots are counted over the gateways of all threads.
 */
import type { Server } from "node:http";
import { isIPv6, type Socket } from "node:net";
import type { ConnectionCounts } from "../../limits/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import { type AddressRanges, plainAddress } from "./address.ts";
import type { GatewayLog } from "./ports.ts";

/** Of all addresses together. */
export const CONNECTIONS_MAX = 10_000;
const SCARCE_KEEP_ALIVE_MS = 5_000;
/** How soon a gateway without new connections follows one that found slots scarce. */
const FOLLOW_MS = 1_000;
/** Refused connections that still get an answer; any more are closed without one. */
export const REFUSED_CONNECTIONS_MAX = 256;
/** From the answer to the close, so that the client can read it. */
const REFUSAL_MS = 1_000;
const LOG_EVERY_MS = 60_000;

export interface ConnectionSlotsOptions {
  /** Connections of one address; null is no limit. */
  readonly perAddress: number | null;
  readonly counts: ConnectionCounts;
  /** They carry the connections of many clients: only the total limits them. */
  readonly trustedProxies: AddressRanges | null;
  readonly keepAliveMs: number;
  readonly monotonicMs: () => number;
  readonly scheduler: Scheduler;
  readonly log: GatewayLog;
  /** Says why and ends the connection. */
  readonly refuse: (socket: Socket, share: number) => void;
}

/** One client: a /64 network of IPv6, or an IPv4 address. */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [front = "", back] = (address.split("%", 1)[0] ?? "").split("::");
  const groups = front === "" ? [] : front.split(":");
  const last = back === undefined || back === "" ? [] : back.split(":");
  const missing = back === undefined ? 0 : 8 - groups.length - last.length;
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...last];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${network.join(":")}::/64`;
}

export class ConnectionSlots {
  readonly #options: ConnectionSlotsOptions;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  /** What this gateway acts upon; it follows the counts. */
  #isScarce = false;
  #refusing = 0;
  #refusedSinceLog = 0;
  #loggedMs = Number.NEGATIVE_INFINITY;

  /** To be called before the server listens: takes over its connection listeners. */
  constructor(server: Server, options: ConnectionSlotsOptions) {
    this.#server = server;
    this.#options = options;
    const listeners = server.listeners("connection") as ((socket: Socket) => void)[];
    server.removeAllListeners("connection");
    server.on("connection", (socket: Socket) => {
      // A refused connection never reaches the parser: nothing that it sends is carried out.
      if (this.#take(socket)) for (const listener of listeners) listener.call(server, socket);
    });
    const timer = options.scheduler.every(FOLLOW_MS, () => this.#follow());
    server.once("close", () => timer.cancel());
  }

  /** Of this gateway alone. */
  get open(): number {
    return this.#open.size;
  }

  #take(socket: Socket): boolean {
    const { counts, log, perAddress, trustedProxies } = this.#options;
    const address = plainAddress(socket.remoteAddress ?? "");
    const isProxy = trustedProxies?.includes(address) === true;
    const client = isProxy ? null : clientNetwork(address);
    const { isTaken, share, becameScarce } = counts.take(client, perAddress);
    if (!isTaken) {
      this.#refuse(socket, address, share);
      return false;
    }
    this.#open.add(socket);
    socket.once("close", () => this.#release(socket, client));
    if (becameScarce) {
      const { open, total } = counts;
      log.warn({ open, total }, "connections are scarce: idle ones are closed sooner");
    }
    this.#follow();
    return true;
  }

  #release(socket: Socket, client: string | null): void {
    const { counts, log } = this.#options;
    this.#open.delete(socket);
    const isOver = counts.release(client);
    if (isOver) log.info({ open: counts.open }, "connections are no longer scarce");
    this.#follow();
  }

  /** Another gateway may have found that slots are scarce, or that they no longer are. */
  #follow(): void {
    const { isScarce } = this.#options.counts;
    if (isScarce === this.#isScarce) return;
    this.#isScarce = isScarce;
    this.#server.keepAliveTimeout = isScarce ? SCARCE_KEEP_ALIVE_MS : this.#options.keepAliveMs;
    if (!isScarce) return;
    for (const socket of this.#open) {
      // Node waits that long for the next request, and not at all while it answers one.
      if ((socket.timeout ?? 0) > SCARCE_KEEP_ALIVE_MS) socket.setTimeout(SCARCE_KEEP_ALIVE_MS);
    }
  }

  #refuse(socket: Socket, address: string, share: number): void {
    this.#noteRefusal(address);
    socket.on("error", () => undefined);
    if (this.#refusing >= REFUSED_CONNECTIONS_MAX) {
      socket.destroy();
      return;
    }
    this.#refusing++;
    const timer = this.#options.scheduler.after(REFUSAL_MS, () => socket.destroy());
    socket.once("close", () => {
      this.#refusing--;
      timer.cancel();
    });
    this.#options.refuse(socket, share);
  }

  #noteRefusal(address: string): void {
    const { log, monotonicMs } = this.#options;
    this.#refusedSinceLog++;
    const nowMs = monotonicMs();
    if (nowMs - this.#loggedMs < LOG_EVERY_MS) return;
    log.warn({ address, refused: this.#refusedSinceLog }, "connections were refused");
    this.#refusedSinceLog = 0;
    this.#loggedMs = nowMs;
  }
}
