/** A receiver of webhooks as documented: it verifies, and skips the numbers that it knows. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface SentEvent {
  readonly number: number;
  readonly type: string;
  readonly uid: number;
  readonly data: { readonly id: string };
}

export class WebhookReceiver {
  /** Of those that sign, the last one first. */
  readonly secrets: string[] = [];
  readonly taken: SentEvent[] = [];
  /** With events; a test has none. */
  requests = 0;
  repeated = 0;
  /** Says whether the next request fails. */
  fails: () => boolean = () => false;
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const body = await Array.fromAsync(request).then(
        (chunks) => Buffer.concat(chunks).toString(),
        () => null,
      );
      if (body === null) return;
      this.#verify(request, body);
      const events = JSON.parse(body).events as SentEvent[];
      if (events.length > 0) this.requests++;
      if (this.fails()) return void response.writeHead(503).end();
      for (const event of events) this.#take(event);
      response.end();
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get takenIds(): readonly string[] {
    return this.taken.map(({ data }) => data.id);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #verify({ headers }: IncomingMessage, body: string): void {
    const time = headers["x-rialto-timestamp"];
    const signed = this.secrets.map((secret) => {
      return `sha256=${createHmac("sha256", secret).update(`${time}.${body}`).digest("hex")}`;
    });
    assert.ok(signed.includes(String(headers["x-rialto-signature"])), "signed with its secret");
  }

  #take(event: SentEvent): void {
    const last = this.taken.at(-1)?.number ?? 0;
    assert.ok(event.number <= last + 1, `${event.number} came after ${last}`);
    if (event.number === last + 1) this.taken.push(event);
    else this.repeated++;
  }
}
