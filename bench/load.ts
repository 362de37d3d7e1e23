/** A load generator over keep-alive sockets, for prepared requests. */
import { connect, type Socket } from "node:net";

export interface LoadResult {
  readonly perSecond: number;
  readonly latenciesMs: Float64Array;
  /** Answers whose status was not 200. */
  readonly refused: number;
}

/** Reads whole answers from a socket, one after the other. */
class Connection {
  readonly socket: Socket;
  #buffered = "";
  #onAnswer: (status: string) => void = () => {};
  #isWaiting = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => this.#read(chunk));
    socket.on("close", () => {
      if (this.#isWaiting) throw new Error("a connection was closed instead of an answer");
    });
  }

  send(request: Buffer, onAnswer: (status: string) => void): void {
    this.#onAnswer = onAnswer;
    this.#isWaiting = true;
    this.socket.write(request);
  }

  #read(chunk: string): void {
    this.#buffered += chunk;
    const headEnd = this.#buffered.indexOf("\r\n\r\n");
    if (headEnd === -1) return;
    const length = /content-length: (\d+)/i.exec(this.#buffered.slice(0, headEnd));
    const end = headEnd + 4 + Number(length?.[1] ?? 0);
    if (this.#buffered.length < end) return;
    const status = this.#buffered.slice(9, 12);
    this.#buffered = this.#buffered.slice(end);
    this.#isWaiting = false;
    this.#onAnswer(status);
  }
}

async function openConnections(port: number, count: number): Promise<Connection[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(port, "127.0.0.1");
      await new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("error", reject);
      });
      return new Connection(socket);
    }),
  );
}

/** Closed loop: every connection sends its next request when it has its answer. */
export async function runClosedLoop(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<LoadResult> {
  const open = await openConnections(port, connections);
  const latenciesMs = new Float64Array(requests.length);
  let next = 0;
  let refused = 0;
  const startedMs = performance.now();
  await Promise.all(
    open.map(
      (connection) =>
        new Promise<void>((resolve) => {
          const sendNext = (): void => {
            const index = next++;
            if (index >= requests.length) {
              resolve();
              return;
            }
            const sentMs = performance.now();
            connection.send(requests[index] as Buffer, (status) => {
              if (status !== "200") refused++;
              latenciesMs[index] = performance.now() - sentMs;
              sendNext();
            });
          };
          sendNext();
        }),
    ),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  for (const { socket } of open) socket.destroy();
  return { perSecond: requests.length / seconds, latenciesMs, refused };
}

/** Open loop: requests are due at a fixed rate, and latency counts from when a request was due. */
export async function runOpenLoop(
  port: number,
  requests: readonly Buffer[],
  connections: number,
  perSecond: number,
): Promise<LoadResult> {
  const idle = await openConnections(port, connections);
  const all = [...idle];
  const latenciesMs = new Float64Array(requests.length);
  let next = 0;
  let answered = 0;
  let refused = 0;
  const startedMs = performance.now();
  await new Promise<void>((resolve) => {
    const sendDue = (): void => {
      while (idle.length > 0 && next < requests.length) {
        const index = next;
        const dueMs = startedMs + (index / perSecond) * 1000;
        if (dueMs > performance.now()) return;
        next++;
        // Connections take turns: the exchange closes one that is idle for seconds.
        const connection = idle.shift() as Connection;
        connection.send(requests[index] as Buffer, (status) => {
          if (status !== "200") refused++;
          latenciesMs[index] = performance.now() - dueMs;
          idle.push(connection);
          answered++;
          if (answered === requests.length) resolve();
          else sendDue();
        });
      }
    };
    const timer = setInterval(() => {
      sendDue();
      if (next === requests.length) clearInterval(timer);
    }, 1);
  });
  const seconds = (performance.now() - startedMs) / 1000;
  for (const { socket } of all) socket.destroy();
  return { perSecond: requests.length / seconds, latenciesMs, refused };
}

export function percentile(latenciesMs: Float64Array, share: number): number {
  const sorted = latenciesMs.toSorted();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
