/**
 * Reads the bodies of API requests. Bodies are small and come whole, so that most are taken from
 * the parser directly: the life cycle of a stream costs as much as all checks of an order.
 */
import { IncomingMessage } from "node:http";

export const BODY_BYTES_MAX = 16 * 1024;

const NO_BYTES = Buffer.alloc(0);

export interface BodyReader {
  bodyRead(body: Buffer): void;
  /** Called once, as soon as it is known; what follows of the body is dropped. */
  bodyTooLarge(): void;
}

class BodyCollector {
  readonly #reader: BodyReader;
  #first: Buffer | null = null;
  #more: Buffer[] | null = null;
  #length = 0;

  constructor(reader: BodyReader) {
    this.#reader = reader;
  }

  /** Whether more may come. */
  add(chunk: Buffer): boolean {
    if (this.#length > BODY_BYTES_MAX) return false;
    this.#length += chunk.length;
    if (this.#length > BODY_BYTES_MAX) {
      this.#first = this.#more = null;
      this.#reader.bodyTooLarge();
      return false;
    }
    if (this.#first === null) this.#first = chunk;
    else if (this.#more === null) this.#more = [this.#first, chunk];
    else this.#more.push(chunk);
    return true;
  }

  end(): void {
    if (this.#length > BODY_BYTES_MAX) return;
    const body = this.#more === null ? this.#first : Buffer.concat(this.#more);
    this.#reader.bodyRead(body ?? NO_BYTES);
  }
}

/** A request whose body can be taken before it enters the stream. Given to `createServer`. */
export class GatewayMessage extends IncomingMessage {
  #collector: BodyCollector | null = null;
  #hasStarted = false;

  /** False when a part has entered the stream already, as when the request waited for its turn. */
  takeBody(collector: BodyCollector): boolean {
    if (this.#hasStarted) return false;
    this.#collector = collector;
    return true;
  }

  /** Node's parser calls this with each part of the body, and with null at its end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const collector = this.#collector;
    if (collector === null) {
      this.#hasStarted = true;
      return super.push(chunk, encoding);
    }
    if (chunk !== null) {
      // What follows a body that is too large is Node's to skip, as of any request not read.
      if (!collector.add(chunk)) this.#collector = null;
      return true;
    }
    // The stream has ended without having been read, like that of a request without a body.
    const hasRoom = super.push(null);
    collector.end();
    return hasRoom;
  }
}

/** Calls one of the reader's methods, once; neither when the connection breaks before. */
export function readBody(request: IncomingMessage, reader: BodyReader): void {
  const collector = new BodyCollector(reader);
  if (request instanceof GatewayMessage && request.takeBody(collector)) return;
  request.on("data", (chunk: Buffer) => collector.add(chunk));
  request.on("end", () => collector.end());
}
