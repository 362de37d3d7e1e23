/** Threads as workers of Node. */
import { type Transferable, Worker } from "node:worker_threads";
import type { Thread, ThreadOptions, Threads, Transfer } from "./threads.ts";

class NodeThread implements Thread {
  readonly #worker: Worker;

  constructor({ module, name, data, transfer = [] }: ThreadOptions) {
    const transferList = transfer as readonly Transferable[];
    this.#worker = new Worker(module, { name, workerData: data, transferList: [...transferList] });
  }

  post(message: unknown, transfer: readonly Transfer[] = []): void {
    this.#worker.postMessage(message, transfer as readonly Transferable[]);
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#worker.on("message", listener);
  }

  onError(listener: (error: Error) => void): void {
    this.#worker.on("error", (error) => listener(error as Error));
  }

  onExit(listener: (code: number) => void): void {
    this.#worker.once("exit", listener);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}

export const NODE_THREADS: Threads = { start: (options) => new NodeThread(options) };
