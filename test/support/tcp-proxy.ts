/**
 * A port that stays open while the exchange behind it stops and restarts, and that can drop the
 * exchange's answers.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class TcpProxy {
  /** Where connections go from now on. */
  target: number;
  /** So many answers are lost, each with its connection, after the exchange has given them. */
  answersToLose = 0;
  /** Connections that were taken. */
  taken = 0;
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

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
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
      if (this.answersToLose === 0) {
        client.write(bytes);
        return;
      }
      this.answersToLose--;
      client.destroy();
    });
  }
}
