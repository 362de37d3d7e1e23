/** Where servers listen. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

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

export interface Network {
  /** Resolves with the bound port; rejects with the error of the system. */
  listen(listener: Listener, address: ListenAddress): Promise<number>;
}

export const NODE_NETWORK: Network = {
  async listen(listener, address) {
    await listener.listen(address);
    return (listener.server.address() as AddressInfo).port;
  },
};
