/** A client that sends but does not read: it opens a stream and reads nothing until asked to. */
import { connect, type Socket } from "node:net";
import type { Credentials } from "./signed-client.ts";
import { handshakeHeaders } from "./stream-client.ts";

export class DeafClient {
  /** Resolves when the connection has ended; one that does not read only hears of that later. */
  readonly ended: Promise<void>;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined);
  }

  static open(
    port: number,
    path: string,
    channels: readonly string[],
    credentials?: Credentials,
  ): Promise<DeafClient> {
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1");
      const client = new DeafClient(socket);
      const signed = credentials === undefined ? [] : Object.entries(handshakeHeaders(credentials));
      const headers = signed.map(([name, value]) => `${name}: ${value}\r\n`).join("");
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${"A".repeat(22)}==\r\n${headers}\r\n`,
      );
      socket.once("data", () => {
        client.subscribe(channels);
        socket.pause();
        resolve(client);
      });
    });
  }

  get port(): number {
    return this.#socket.localPort ?? 0;
  }

  /** Asks, and does not wait for an answer. */
  subscribe(channels: readonly string[]): void {
    const request = JSON.stringify({ method: "SUBSCRIBE", params: channels, id: 1 });
    const text = Buffer.from(request);
    // A masked text frame of less than 126 bytes, with a mask of zeros.
    this.#socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), text]));
  }

  /** Reads what has come, which is how it learns that it was cut off. */
  async listen(): Promise<void> {
    this.#socket.resume();
    await this.ended;
  }

  close(): void {
    this.#socket.destroy();
  }
}
