/**
 * A load generator for the trading socket: WebSockets that log on, and then keep so many orders in
 * flight each. Like the one for HTTP it leaves the processor to the exchange: raw frames made
 * beforehand, one read into a shared buffer, one write for all orders that a read makes room for.
 */
import { connect, type Socket } from "node:net";
import { clientFrame, frameSize, handshake, OPCODES } from "./frames.ts";
import type { LoadResult } from "./load.ts";

const PATH = "/v3/ws/api";
const OK = 200;
const UPGRADED = "HTTP/1.1 101 ";
const END_OF_HEAD = "\r\n\r\n";
const NOTHING = Buffer.alloc(0);
/** Data is processed before the next read, so one buffer is enough for all sockets. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** How every answer begins: `{"id":17,"status":200`. */
const BEFORE_ID = Buffer.from('{"id":');
const BEFORE_STATUS = Buffer.from(',"status":');

type OnAnswer = (socket: TradingSocket, id: number, status: number) => void;

class TradingSocket {
  readonly #socket: Socket;
  readonly #onAnswer: OnAnswer;
  #handshakeEnded: ((response: string) => void) | null = null;
  #loggedOn: ((answer: string) => void) | null = null;
  /** The beginning of a frame that comes in parts. */
  #begun = NOTHING;
  readonly #leaving: Buffer[] = [];
  #isEnded = false;

  constructor(port: number, onAnswer: OnAnswer) {
    this.#onAnswer = onAnswer;
    const callback = (length: number, bytes: Uint8Array): boolean => {
      this.#read(bytes as Buffer, length);
      return true;
    };
    this.#socket = connect({ port, host: "127.0.0.1", onread: { buffer: shared, callback } });
    this.#socket.setNoDelay(true);
    this.#socket.once("close", () => {
      if (!this.#isEnded) throw new Error("the exchange closed a trading socket");
    });
  }

  /** Resolves with the response to the handshake. */
  open(): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#handshakeEnded = resolve;
      this.#socket.once("error", reject);
      this.#socket.once("connect", () => this.#socket.write(handshake(PATH)));
    });
  }

  /** Resolves with the answer. */
  logOn(message: string): Promise<string> {
    return new Promise((resolve) => {
      this.#loggedOn = resolve;
      this.#socket.write(clientFrame(message));
    });
  }

  /** Leaves with the other frames of this turn, at the latest with `flush`. */
  send(frame: Buffer): void {
    this.#leaving.push(frame);
  }

  flush(): void {
    const leaving = this.#leaving;
    if (leaving.length === 0) return;
    this.#socket.write(leaving.length === 1 ? (leaving[0] as Buffer) : Buffer.concat(leaving));
    leaving.length = 0;
  }

  destroy(): void {
    this.#isEnded = true;
    this.#socket.destroy();
  }

  #read(read: Buffer, readLength: number): void {
    const isWhole = this.#begun.length === 0;
    const bytes = isWhole ? read : Buffer.concat([this.#begun, read.subarray(0, readLength)]);
    const end = isWhole ? readLength : bytes.length;
    const frames = this.#handshakeEnded === null ? 0 : this.#endHandshake(bytes, end);
    if (frames === null) {
      this.#begun = Buffer.from(bytes.subarray(0, end));
      return;
    }
    const at = this.#readFrames(bytes, frames, end);
    this.#begun = at === end ? NOTHING : Buffer.from(bytes.subarray(at, end));
    this.flush();
  }

  /** Returns where frames begin, or null while the response is incomplete. */
  #endHandshake(bytes: Buffer, end: number): number | null {
    const endOfHead = bytes.subarray(0, end).indexOf(END_OF_HEAD);
    if (endOfHead === -1) return null;
    const response = bytes.toString("latin1", 0, endOfHead);
    this.#handshakeEnded?.(response);
    this.#handshakeEnded = null;
    if (response.startsWith(UPGRADED)) return endOfHead + END_OF_HEAD.length;
    this.#isEnded = true;
    return end;
  }

  /** Returns where the first incomplete frame begins. */
  #readFrames(bytes: Buffer, start: number, end: number): number {
    for (let at = start; ; ) {
      const size = frameSize(bytes, at, end);
      if (size === null || at + size.head + size.body > end) return at;
      const body = at + size.head;
      this.#readFrame((bytes[at] as number) & 0x0f, bytes, body, body + size.body);
      at = body + size.body;
    }
  }

  #readFrame(opcode: number, bytes: Buffer, start: number, end: number): void {
    if (opcode === OPCODES.ping) this.send(clientFrame(bytes.subarray(start, end), OPCODES.pong));
    if (opcode === OPCODES.close) throw new Error("the exchange closed a trading socket");
    if (opcode !== OPCODES.text) return;
    if (this.#loggedOn !== null) {
      this.#loggedOn(bytes.toString("utf8", start, end));
      this.#loggedOn = null;
      return;
    }
    const idAt = start + BEFORE_ID.length;
    const idEnd = endOfDigits(bytes, idAt);
    const statusAt = idEnd + BEFORE_STATUS.length;
    if (idEnd === idAt || !hasAt(bytes, start, BEFORE_ID) || !hasAt(bytes, idEnd, BEFORE_STATUS)) {
      throw new Error(`unexpected answer ${bytes.toString("utf8", start, end)}`);
    }
    const status = digits(bytes, statusAt, endOfDigits(bytes, statusAt));
    this.#onAnswer(this, digits(bytes, idAt, idEnd), status);
  }
}

function hasAt(bytes: Buffer, start: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false;
  return true;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function endOfDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] as number)) at++;
  return at;
}

function digits(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + (bytes[at] as number) - 0x30;
  return value;
}

/** Whether there is a trading socket. */
export async function hasTradingSocket(port: number): Promise<boolean> {
  const socket = new TradingSocket(port, () => {});
  const response = await socket.open();
  socket.destroy();
  return response.startsWith(UPGRADED);
}

/** A socket for each logon, with `inFlight` orders each; the ids of messages are their indexes. */
export async function runSocketLoad(
  port: number,
  logons: readonly string[],
  messages: readonly string[],
  inFlight: number,
): Promise<LoadResult> {
  const frames = messages.map((message) => clientFrame(message));
  const latenciesMs = new Float64Array(frames.length);
  let next = 0;
  let answered = 0;
  let refused = 0;
  let finished = (): void => {};
  const sendNext = (socket: TradingSocket, nowMs: number): void => {
    if (next >= frames.length) return;
    const index = next++;
    latenciesMs[index] = nowMs;
    socket.send(frames[index] as Buffer);
  };
  const sockets = await openSockets(port, logons, (socket, id, status) => {
    if (status !== OK) refused++;
    const nowMs = performance.now();
    latenciesMs[id] = nowMs - (latenciesMs[id] as number);
    answered++;
    if (answered === frames.length) finished();
    else sendNext(socket, nowMs);
  });
  const before = process.threadCpuUsage();
  const startedMs = performance.now();
  await new Promise<void>((resolve) => {
    finished = resolve;
    for (const socket of sockets) {
      for (let i = 0; i < inFlight; i++) sendNext(socket, startedMs);
      socket.flush();
    }
  });
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.threadCpuUsage(before);
  for (const socket of sockets) socket.destroy();
  const generatorUs = (user + system) / frames.length;
  return { perSecond: frames.length / seconds, latenciesMs, refused, generatorUs };
}

async function openSockets(
  port: number,
  logons: readonly string[],
  onAnswer: OnAnswer,
): Promise<TradingSocket[]> {
  return Promise.all(
    logons.map(async (logon) => {
      const socket = new TradingSocket(port, onAnswer);
      const response = await socket.open();
      if (!response.startsWith(UPGRADED)) throw new Error(`no trading socket: ${response}`);
      const answer = await socket.logOn(logon);
      if (JSON.parse(answer).status !== OK) throw new Error(`a logon was refused: ${answer}`);
      return socket;
    }),
  );
}
