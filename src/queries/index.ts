/** History queries and their answers. */
export * from "./history-port.ts";
export { answerQuestion } from "./history-queries.ts";
export {
  HISTORY_READER,
  HISTORY_WAIT_MS,
  type HistoryProgress,
  HistoryReader,
  QUESTIONS_MAX,
} from "./history-reader.ts";
export { readHistory } from "./reader-thread.ts";
