/** A thread that answers questions from the history file, one after the other. */
import { parentPort, workerData } from "node:worker_threads";
import { invariant } from "../domain/index.ts";
import { markIfDamaged, openHistoryDatabase } from "../store/index.ts";
import { answerQuestion } from "./history-queries.ts";
import type { ReaderQuestion, ReaderReply } from "./history-reader.ts";

const { path } = workerData as { readonly path: string };
invariant(parentPort !== null, "the reader worker is started by HistoryReader");
const port = parentPort;
const history = openHistoryDatabase(path, { readOnly: true });
/** Null asks to end, after the questions before it. */
const waiting: (ReaderQuestion | null)[] = [];
let isAnswering = false;

port.on("message", (message: ReaderQuestion | null) => {
  waiting.push(message);
  if (!isAnswering) void answerWaiting();
});

async function answerWaiting(): Promise<void> {
  isAnswering = true;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (next === null) {
      history.connection.close();
      port.close();
    } else {
      port.postMessage(await reply(next));
    }
  }
  isAnswering = false;
}

async function reply({ id, name, question }: ReaderQuestion): Promise<ReaderReply> {
  try {
    return { id, answer: await answerQuestion(history.db, name, question) };
  } catch (error) {
    markIfDamaged(path, error);
    return { id, error: error as Error };
  }
}
