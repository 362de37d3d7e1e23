/**
 * A thread that runs queries on the history file, one after the other. Long ones have their own
 * connection and queue, and yield to the others between two reads.
 */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../domain/index.ts";
import { type HistoryDatabase, markIfDamaged, openHistoryDatabase } from "../store/index.ts";
import type { HistoryQueryName } from "./history-port.ts";
import { answerQuestion } from "./history-queries.ts";
import type { ReaderQuestion, ReaderReply } from "./history-reader.ts";

const LONG_QUESTIONS: readonly HistoryQueryName[] = ["commission-what-if"];

const { path } = workerData as { readonly path: string };
invariant(parentPort !== null, "the reader worker is started by HistoryReader");
const port = parentPort;

class QuestionQueue {
  readonly #history: HistoryDatabase = openHistoryDatabase(path, { readOnly: true });
  readonly #waiting: ReaderQuestion[] = [];
  #answering: Promise<void> | null = null;

  add(question: ReaderQuestion): void {
    this.#waiting.push(question);
    this.#answering ??= this.#answerWaiting();
  }

  /** After the queued questions. */
  async close(): Promise<void> {
    await this.#answering;
    this.#history.connection.close();
  }

  async #answerWaiting(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      port.postMessage(await this.#reply(next));
    }
    this.#answering = null;
  }

  async #reply({ id, name, question }: ReaderQuestion): Promise<ReaderReply> {
    try {
      return { id, answer: await answerQuestion(this.#history.db, name, question) };
    } catch (error) {
      markIfDamaged(path, error);
      return { id, error: error as Error };
    }
  }
}

const short = new QuestionQueue();
const long = new QuestionQueue();

/** Null ends the thread, after the questions before it. */
port.on("message", (message: ReaderQuestion | null) => {
  if (message === null) void close();
  else if (LONG_QUESTIONS.includes(message.name)) long.add(message);
  else short.add(message);
});

async function close(): Promise<void> {
  await Promise.all([short.close(), long.close()]);
  port.close();
}
