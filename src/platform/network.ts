/** Where servers listen, and how other machines are reached. */
import { type LookupAddress, lookup } from "node:dns";
import type { Server } from "node:http";
import {
  type AddressInfo,
  createServer,
  type ListenOptions,
  type Server as NetServer,
  Socket,
} from "node:net";

export interface ListenAddress {
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** Several servers share the port, and the kernel chooses one for each connection. */
  readonly reusePort?: boolean;
}

/**
 * A server that can be bound to an address. A simulated network waits until it is ready and gives
 * `server` its connections: `node:http` takes any duplex stream as a `connection`.
 */
export interface Listener {
  readonly server: Server;
  ready(): PromiseLike<unknown>;
  listen(address: ListenAddress): PromiseLike<unknown>;
}

export interface Claim {
  release(): void;
}

/** Addresses of a name. */
export type Lookup = (
  name: string,
  options: { readonly all: true },
  answer: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export interface Network {
  /** Whether `reusePort` works here, and connections then go to all who share a port. */
  readonly sharesPorts: boolean;
  /** Resolves with the bound port; rejects with the error of the system. */
  listen(listener: Listener, address: ListenAddress): Promise<number>;
  /**
   * Makes sure that nobody listens there, and that no other process claims it, until everybody who
   * shares the port has bound it: from then on the system refuses all others. Rejects with the
   * error of the system. Port 0 needs no claim.
   */
  claim(address: ListenAddress): Promise<Claim>;
  /** One that is not connected yet, for a connection to another machine. */
  socket(): Socket;
  lookup: Lookup;
}

/** How often, and for how long, a claim of another process is waited for. */
const CLAIM_EVERY_MS = 50;
const CLAIM_TRIES = 200;

const NO_CLAIM: Claim = { release: () => undefined };

export const NODE_NETWORK: Network = {
  // macOS has the option, and gives all connections to the socket that was bound last.
  sharesPorts: process.platform === "linux",
  async listen(listener, address) {
    await listener.listen(address);
    return (listener.server.address() as AddressInfo).port;
  },
  async claim({ host, port }) {
    if (port === 0) return NO_CLAIM;
    const claim = await claimName(port);
    try {
      await end(await bind({ host, port }));
      return claim;
    } catch (error) {
      claim.release();
      throw error;
    }
  },
  socket: () => new Socket(),
  lookup,
};

/** An abstract socket of Linux belongs to one process, and ends with it. */
async function claimName(port: number): Promise<Claim> {
  if (process.platform !== "linux") return NO_CLAIM;
  for (let tries = 1; ; tries++) {
    try {
      const server = await bind({ path: `\0rialto-port-${port}` });
      return { release: () => void end(server) };
    } catch (error) {
      if (tries === CLAIM_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, CLAIM_EVERY_MS));
    }
  }
}

function bind(options: ListenOptions): Promise<NetServer> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...options, exclusive: true }, () => resolve(server));
  });
}

function end(server: NetServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
