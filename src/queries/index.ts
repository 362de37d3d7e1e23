/** History queries and their answers. */
export * from "./history-port.ts";
export { answerQuestion } from "./history-queries.ts";
export {
  HISTORY_WAIT_MS,
  type HistoryProgress,
  HistoryReader,
  QUESTIONS_MAX,
} from "./history-reader.ts";
