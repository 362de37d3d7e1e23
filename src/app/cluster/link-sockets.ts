/**
 * The network under the links between nodes: WebSockets over TLS, with a key that all nodes derive
 * from the venue's master key instead of certificates. Whoever has that key can open every API
 * secret, so it is what makes a node a node.
 */
import { createServer, type Server } from "node:https";
import { isIP } from "node:net";
import { type ConnectionOptions, connect } from "node:tls";
import { type WebSocket, WebSocketServer, WebSocket as WebSocketTo } from "ws";
import type { LinkEnd, LinkListener } from "../../cluster/index.ts";
import type { KeyVault } from "../../keys/index.ts";
import type { ListenAddress, Network, Platform, Scheduler, Timer } from "../../platform/index.ts";
import { MalformedBytes } from "../../protocol/index.ts";

/** Of TLS 1.2, which takes keys that are agreed on before; forward secret and authenticated. */
const TLS = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const;
/** Far above what a turn's requests or answers take. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024;
/** Whoever reads so slowly is cut off. */
const UNSENT_BYTES_MAX = 64 * 1024 * 1024;
const HANDSHAKE_MS = 1500;
/** A node that has not answered a ping until the next one is gone. */
const PING_MS = 1500;

type Keys = Pick<KeyVault, "linkKeys">;

/** Takes the links of other nodes. */
export class LinkServer {
  readonly #server: Server;
  readonly #sockets: WebSocketServer;
  readonly #keys: Keys;
  readonly #answering = new WeakSet<WebSocket>();
  /** Of the master key under which a link was opened. */
  readonly #versions = new WeakMap<object, number>();
  readonly #pinging: Timer;

  constructor(keys: Keys, scheduler: Scheduler, accept: (end: LinkEnd) => LinkListener) {
    this.#keys = keys;
    this.#server = createServer({
      ...TLS,
      pskCallback: (socket, identity) => {
        const version = Number(identity);
        this.#versions.set(socket, version);
        return keys.linkKeys.keyOf(version)?.export() ?? null;
      },
    });
    // A stranger's attempt is its own failure.
    this.#server.on("tlsClientError", () => undefined);
    this.#sockets = new WebSocketServer({
      server: this.#server,
      perMessageDeflate: false,
      maxPayload: MESSAGE_BYTES_MAX,
    });
    this.#sockets.on("connection", (socket, { socket: under }) => {
      this.#versions.set(socket, this.#versions.get(under) ?? 0);
      this.#answering.add(socket);
      socket.on("pong", () => this.#answering.add(socket));
      attach(socket, accept);
    });
    this.#pinging = scheduler.every(PING_MS, () => this.#ping());
  }

  #ping(): void {
    for (const socket of this.#sockets.clients) {
      // Opened under a master key that was dropped since: it is opened again under the new one.
      const isDropped = this.#keys.linkKeys.keyOf(this.#versions.get(socket) ?? 0) === null;
      if (this.#answering.delete(socket) && !isDropped) socket.ping();
      else socket.terminate();
    }
  }

  /** Resolves with the bound port; rejects with the error of the system. */
  listen(network: Network, { host, port }: ListenAddress): Promise<number> {
    const server = this.#server;
    const listener = {
      server,
      ready: () => Promise.resolve(),
      listen: (address: ListenAddress) =>
        new Promise<void>((resolve, reject) => {
          server.once("error", reject);
          server.listen({ host: address.host, port: address.port }, () => {
            server.off("error", reject);
            resolve();
          });
        }),
    };
    return network.listen(listener, { host, port });
  }

  async close(): Promise<void> {
    this.#pinging.cancel();
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#sockets.close();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

/** Opens a link to a node; `place` is its host and port. `ended` is called once, in any case. */
export function openLink(
  { linkKeys }: Keys,
  { network, scheduler }: Pick<Platform, "network" | "scheduler">,
  place: string,
  opened: (end: LinkEnd) => LinkListener,
  ended: () => void,
): LinkEnd {
  const { version } = linkKeys;
  const psk = linkKeys.keyOf(version)?.export() ?? Buffer.alloc(0);
  const options = {
    ...TLS,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES_MAX,
    // The key says who it is.
    checkServerIdentity: () => undefined,
    pskCallback: () => ({ identity: String(version), psk }),
    createConnection: ({ host = "", port = 0, ...rest }: ConnectionOptions) =>
      connect({
        ...rest,
        path: undefined,
        servername: isIP(host) === 0 ? host : "",
        socket: network.socket().connect(port, host),
      }),
  };
  const socket = new WebSocketTo(`wss://${place}/`, options as object);
  const late = scheduler.after(HANDSHAKE_MS, () => socket.terminate(), "background");
  socket.on("open", () => {
    late.cancel();
    attach(socket, opened);
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", () => {
    late.cancel();
    ended();
  });
  return endOf(socket);
}

function attach(socket: WebSocket, opened: (end: LinkEnd) => LinkListener): void {
  socket.binaryType = "nodebuffer";
  const listener = opened(endOf(socket));
  socket.on("message", (data: Buffer) => {
    try {
      listener.message(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    } catch (error) {
      if (!(error instanceof MalformedBytes)) throw error;
      // It does not speak as a node does.
      socket.terminate();
    }
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", () => listener.ended());
}

function endOf(socket: WebSocket): LinkEnd {
  return {
    send: (message) => {
      if (socket.readyState !== socket.OPEN) return;
      if (socket.bufferedAmount > UNSENT_BYTES_MAX) socket.terminate();
      else socket.send(message);
    },
    end: () => socket.terminate(),
  };
}
