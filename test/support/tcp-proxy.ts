/**
 * A port that stays open while the server behind it stops and restarts, and that can drop the
 * server's answers, or be a broken network: closed, or silent.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class TcpProxy {
  /** Where connections go from now on. */
  target: number;
  /** So many answers are lost, each with its connection, after the server has given them. */
  answersToLose = 0;
  /** Connections that were taken. */
  taken = 0;
  /** Bytes of the server until the network breaks. */
  #bytesLeft = Number.POSITIVE_INFINITY;
  #isClosed = false;
  #isSilent = false;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number, server: Server) {
    this.target = target;
    this.#server = server;
    server.on("connection", (socket) => this.#pass(socket));
  }

  static async open(target: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(target, server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Cuts every connection, and every new one, until `mend`. */
  break(): void {
    this.#isClosed = true;
    this.cut();
  }

  /** Breaks when the server has sent so many bytes more. */
  breakAfter(bytes: number): void {
    this.#bytesLeft = bytes;
  }

  /** Answers no longer arrive, though connections stay and requests go through, until `mend`. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Connections of a silence, which have lost bytes, are cut. */
  mend(): void {
    if (this.#isSilent) this.cut();
    this.#bytesLeft = Number.POSITIVE_INFINITY;
    this.#isClosed = false;
    this.#isSilent = false;
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }

  #pass(client: Socket): void {
    this.taken++;
    if (this.#isClosed) {
      client.destroy();
      return;
    }
    const exchange = connect(this.target, "127.0.0.1");
    for (const [socket, other] of [
      [client, exchange],
      [exchange, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (bytes: Buffer) => exchange.write(bytes));
    exchange.on("data", (bytes: Buffer) => {
      if (this.#isSilent) return;
      if (this.answersToLose === 0) {
        client.write(bytes);
        this.#bytesLeft -= bytes.length;
        if (this.#bytesLeft < 0) this.break();
        return;
      }
      this.answersToLose--;
      client.destroy();
    });
  }
}
