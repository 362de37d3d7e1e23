/**
 * An HTTP client on streams in one process: it writes requests and reads answers itself, and uses a
 * connection again that has nothing under way, as real clients do. Node's own costs several times
 * as much as the exchange that it asks.
 */
import type { Duplex } from "node:stream";

export interface InlineAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The last command that it shows or has carried out, if it says so. */
  readonly sequence?: number;
  /** When the same may be asked again. */
  readonly retryAfterS?: number;
}

export interface InlineRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const HEAD_END = "\r\n\r\n";
const HEAD_END_BYTES = Buffer.from(HEAD_END, "latin1");
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const SEQUENCE = /\r\nx-rialto-sequence: *(\d+)/i;
const RETRY_AFTER = /\r\nretry-after: *(\d+)/i;
const CLOSES = /\r\nconnection: *close/i;

/** As it goes over the wire. */
export function requestText({ body, headers, method, path }: InlineRequest): string {
  let text = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  for (const name of Object.keys(headers)) text += `${name}: ${headers[name]}\r\n`;
  if (body !== undefined) text += `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  return `${text}\r\n${body ?? ""}`;
}

/** As it came over the wire. */
export interface RawAnswer {
  readonly head: string;
  readonly text: string;
  /** The server keeps the connection. */
  readonly isKept: boolean;
}

/** Null while a part of it is missing. */
export function readRaw(bytes: Buffer): RawAnswer | null {
  const headEnd = bytes.indexOf(HEAD_END_BYTES);
  if (headEnd < 0) return null;
  const head = bytes.toString("latin1", 0, headEnd);
  const length = LENGTH.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${head}`);
  const start = headEnd + HEAD_END.length;
  if (bytes.length < start + Number(length)) return null;
  const text = bytes.toString("utf8", start, start + Number(length));
  return { head, text, isKept: !CLOSES.test(head) };
}

export function statusOf({ head }: RawAnswer): number {
  return Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
}

interface Read {
  readonly answer: InlineAnswer;
  readonly isKept: boolean;
}

/** Null while a part of it is missing. */
function readAnswer(bytes: Buffer): Read | null {
  const raw = readRaw(bytes);
  if (raw === null) return null;
  const { head, isKept, text } = raw;
  const sequence = SEQUENCE.exec(head)?.[1];
  const shown = sequence === undefined ? {} : { sequence: Number(sequence) };
  const status = statusOf(raw);
  const retryAfter = status === 200 ? undefined : RETRY_AFTER.exec(head)?.[1];
  const wait = retryAfter === undefined ? {} : { retryAfterS: Number(retryAfter) };
  return { answer: { status, body: JSON.parse(text), ...shown, ...wait }, isKept };
}

/** One connection, with one request at a time. */
class KeptConnection {
  readonly stream: Duplex;
  #isOpen = true;
  #received: Buffer | null = null;
  #waiting: PromiseWithResolvers<InlineAnswer> | null = null;
  readonly #idle: (connection: KeptConnection) => void;

  constructor(stream: Duplex, idle: (connection: KeptConnection) => void) {
    this.stream = stream;
    this.#idle = idle;
    stream.on("data", (chunk: Buffer) => this.#take(chunk));
    stream.on("end", () => stream.destroy());
    stream.once("close", () => {
      this.#isOpen = false;
      setImmediate(() => this.#waiting?.reject(new Error("cut off")));
    });
  }

  get isOpen(): boolean {
    return this.#isOpen && !this.stream.destroyed;
  }

  send(request: InlineRequest): Promise<InlineAnswer> {
    const waiting = Promise.withResolvers<InlineAnswer>();
    this.#waiting = waiting;
    this.stream.write(requestText(request));
    return waiting.promise;
  }

  #take(chunk: Buffer): void {
    const bytes = this.#received === null ? chunk : Buffer.concat([this.#received, chunk]);
    const read = readAnswer(bytes);
    this.#received = read === null ? bytes : null;
    if (read === null) return;
    const waiting = this.#waiting;
    this.#waiting = null;
    if (read.isKept) this.#idle(this);
    else this.stream.destroy();
    waiting?.resolve(read.answer);
  }
}

export class InlineHttp {
  readonly #connect: (port: number) => Duplex;
  readonly #idle = new Map<number, KeptConnection[]>();

  constructor(connect: (port: number) => Duplex) {
    this.#connect = connect;
  }

  /**
   * Rejects when the connection breaks first. Who wants to know of the connection gets one of its
   * own, which is not used again.
   */
  async send(
    port: number,
    request: InlineRequest,
    connected?: (connection: Duplex) => void,
  ): Promise<InlineAnswer> {
    if (connected === undefined) return await this.#connectionTo(port).send(request);
    const connection = new KeptConnection(this.#connect(port), ({ stream }) => stream.end());
    connected(connection.stream);
    return await connection.send(request);
  }

  #connectionTo(port: number): KeptConnection {
    let idle = this.#idle.get(port);
    if (idle === undefined) {
      idle = [];
      this.#idle.set(port, idle);
    }
    for (let kept = idle.pop(); kept !== undefined; kept = idle.pop()) {
      if (kept.isOpen) return kept;
    }
    const kept = idle;
    return new KeptConnection(this.#connect(port), (connection) => kept.push(connection));
  }
}
