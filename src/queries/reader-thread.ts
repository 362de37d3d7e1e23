/**
 * A thread that runs queries on the history file, one after the other. Long ones have their own
 * connection and queue, and yield to the others between two reads.
 */
import type { BodyPort, Scheduler, ThreadContext } from "../platform/index.ts";
import { type HistoryDatabase, markIfDamaged, openHistoryDatabase } from "../store/index.ts";
import type { HistoryQueryName } from "./history-port.ts";
import { answerQuestion } from "./history-queries.ts";
import type { ReaderQuestion, ReaderReply, ToReader } from "./history-reader.ts";

const LONG_QUESTIONS: readonly HistoryQueryName[] = ["commission-what-if"];

/** The body of the thread; `data` is the path of the history file. */
export function readHistory({ port, data, platform }: ThreadContext): void {
  const { path } = data as { readonly path: string };
  const short = new QuestionQueue(port, platform.scheduler, path);
  const long = new QuestionQueue(port, platform.scheduler, path);
  const close = async (): Promise<void> => {
    await Promise.all([short.close(), long.close()]);
    port.close();
  };
  port.onMessage((message) => {
    const question = message as ToReader;
    if (question === null) void close();
    else if ("switchTo" in question) {
      for (const queue of [short, long]) queue.switchTo(question.switchTo);
      port.post({ switchedTo: question.switchTo } satisfies ReaderReply);
    } else if (LONG_QUESTIONS.includes(question.name)) long.add(question);
    else short.add(question);
  });
}

class QuestionQueue {
  readonly #port: BodyPort;
  readonly #scheduler: Scheduler;
  #path: string;
  /** Opened by the first question: few exchanges are asked long ones. */
  #history: HistoryDatabase | null = null;
  readonly #waiting: ReaderQuestion[] = [];
  /** Connections of files that were left while a question was being answered. */
  readonly #left: HistoryDatabase["connection"][] = [];
  #answering: Promise<void> | null = null;

  constructor(port: BodyPort, scheduler: Scheduler, path: string) {
    this.#port = port;
    this.#scheduler = scheduler;
    this.#path = path;
  }

  add(question: ReaderQuestion): void {
    this.#waiting.push(question);
    this.#answering ??= this.#answerWaiting();
  }

  /** The question that is being answered keeps the old file until it is. */
  switchTo(path: string): void {
    const connection = this.#history?.connection;
    this.#path = path;
    this.#history = null;
    if (connection === undefined) return;
    if (this.#answering === null) connection.close();
    else this.#left.push(connection);
  }

  /** After the queued questions. */
  async close(): Promise<void> {
    await this.#answering;
    this.#history?.connection.close();
  }

  async #answerWaiting(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#port.post(await this.#reply(next));
      for (const connection of this.#left.splice(0)) connection.close();
    }
    this.#answering = null;
  }

  async #reply({ id, name, question }: ReaderQuestion): Promise<ReaderReply> {
    try {
      this.#history ??= openHistoryDatabase(this.#path, { readOnly: true });
      return { id, ...(await answerQuestion(this.#history.db, name, question, this.#scheduler)) };
    } catch (error) {
      markIfDamaged(this.#path, error);
      return { id, error: error as Error };
    }
  }
}
