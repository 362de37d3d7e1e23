/**
 * A load generator over keep-alive sockets, for prepared requests. It shares the machine with the
 * server, so it does as little as possible for each request: one write, one read into a buffer that
 * all sockets share, and a look at a few bytes.
 */
import { connect, type Socket } from "node:net";
import { AnswerScanner } from "./http-answers.ts";

export interface LoadResult {
  readonly perSecond: number;
  readonly latenciesMs: Float64Array;
  /** Answers whose status was not 200. */
  readonly refused: number;
  /** Processor time of this thread for one request. */
  readonly generatorUs: number;
}

type OnAnswer = (connection: Connection, status: number) => void;

const OPENING_AT_ONCE = 64;
const OK = 200;
const NOTHING = Buffer.alloc(0);
/** Data is processed before the next read, so one buffer is enough for all sockets. */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** Carries one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #scanner: AnswerScanner;
  readonly #onAnswer: OnAnswer;
  /** The beginning of an answer that comes in parts. */
  #begun = NOTHING;
  /** Of the request that waits for its answer. */
  index = 0;
  isWaiting = false;

  constructor(port: number, scanner: AnswerScanner, onAnswer: OnAnswer) {
    this.#scanner = scanner;
    this.#onAnswer = onAnswer;
    const callback = (length: number, bytes: Uint8Array): boolean => {
      this.#read(bytes as Buffer, length);
      return true;
    };
    this.#socket = connect({ port, host: "127.0.0.1", onread: { buffer: shared, callback } });
    this.#socket.setNoDelay(true);
    this.#socket.once("close", () => {
      if (this.isWaiting) throw new Error("a connection was closed instead of an answer");
    });
  }

  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.once("connect", resolve);
      this.#socket.once("error", reject);
    });
  }

  send(request: Buffer, index: number): void {
    this.index = index;
    this.isWaiting = true;
    this.#socket.write(request);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(bytes: Buffer, length: number): void {
    if (this.#begun.length > 0) {
      const whole = Buffer.concat([this.#begun, bytes.subarray(0, length)]);
      this.#begun = NOTHING;
      this.#read(whole, whole.length);
      return;
    }
    if (!this.#scanner.scan(bytes, length)) {
      this.#begun = Buffer.from(bytes.subarray(0, length));
      return;
    }
    if (!this.isWaiting || this.#scanner.bytes !== length) throw new Error("too many answers");
    this.isWaiting = false;
    this.#onAnswer(this, this.#scanner.status);
  }
}

async function openConnections(
  port: number,
  count: number,
  onAnswer: OnAnswer,
): Promise<Connection[]> {
  const scanner = new AnswerScanner();
  const all: Connection[] = [];
  while (all.length < count) {
    const size = Math.min(OPENING_AT_ONCE, count - all.length);
    const some = Array.from({ length: size }, () => new Connection(port, scanner, onAnswer));
    await Promise.all(some.map((connection) => connection.opened()));
    all.push(...some);
  }
  return all;
}

/** Idle connections. Resolves with what closes them. */
export async function holdConnections(port: number, count: number): Promise<() => void> {
  const open = await openConnections(port, count, () => {});
  return () => {
    for (const connection of open) connection.destroy();
  };
}

/** Runs a loop on open connections until it resolves, and closes them. */
async function run(
  requests: readonly Buffer[],
  latenciesMs: Float64Array,
  open: readonly Connection[],
  loop: (startedMs: number, finish: () => void) => void,
): Promise<Omit<LoadResult, "refused">> {
  const before = process.threadCpuUsage();
  const startedMs = performance.now();
  await new Promise<void>((resolve) => loop(startedMs, resolve));
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.threadCpuUsage(before);
  for (const connection of open) connection.destroy();
  const count = requests.length;
  return { perSecond: count / seconds, latenciesMs, generatorUs: (user + system) / count };
}

/** Closed loop: every connection sends its next request when it has its answer. */
export async function runClosedLoop(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<LoadResult> {
  const latenciesMs = new Float64Array(requests.length);
  let next = 0;
  let answered = 0;
  let refused = 0;
  let finished = (): void => {};
  // Times of requests are those of the turn of the event loop, in which several are sent.
  const sendNext = (connection: Connection, nowMs: number): void => {
    if (next >= requests.length) return;
    const index = next++;
    latenciesMs[index] = nowMs;
    connection.send(requests[index] as Buffer, index);
  };
  const open = await openConnections(port, connections, (connection, status) => {
    if (status !== OK) refused++;
    const nowMs = performance.now();
    const { index } = connection;
    latenciesMs[index] = nowMs - (latenciesMs[index] as number);
    answered++;
    if (answered === requests.length) finished();
    else sendNext(connection, nowMs);
  });
  const result = await run(requests, latenciesMs, open, (startedMs, finish) => {
    finished = finish;
    for (const connection of open) sendNext(connection, startedMs);
  });
  return { ...result, refused };
}

/** Open loop: requests are due at a fixed rate, and latency counts from when a request was due. */
export async function runOpenLoop(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  perSecond: number,
): Promise<LoadResult> {
  const latenciesMs = new Float64Array(requests.length);
  let next = 0;
  let answered = 0;
  let refused = 0;
  let startedMs = 0;
  let finished = (): void => {};
  const dueMs = (index: number): number => startedMs + (index / perSecond) * 1000;
  const idle = await openConnections(port, connections, (connection, status) => {
    const { index } = connection;
    if (status !== OK) refused++;
    const nowMs = performance.now();
    latenciesMs[index] = nowMs - dueMs(index);
    idle.push(connection);
    answered++;
    if (answered === requests.length) finished();
    else sendDue(nowMs);
  });
  const open = [...idle];
  const sendDue = (nowMs: number): void => {
    while (idle.length > 0 && next < requests.length && dueMs(next) <= nowMs) {
      const index = next++;
      // Connections take turns: the exchange closes one that is idle for seconds.
      (idle.shift() as Connection).send(requests[index] as Buffer, index);
    }
  };
  const result = await run(requests, latenciesMs, open, (beginMs, finish) => {
    startedMs = beginMs;
    finished = finish;
    const timer = setInterval(() => {
      sendDue(performance.now());
      if (next === requests.length) clearInterval(timer);
    }, 1);
  });
  return { ...result, refused };
}

export function percentile(latenciesMs: Float64Array, share: number): number {
  const sorted = latenciesMs.toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
