/** Recordings of markets as messages that an exchange applies. Knows files, and no exchange. */
export { QUEUE_RULES, type QueueRule } from "./level-book.ts";
export { openTape } from "./open-tape.ts";
export {
  type AppliedMessages,
  ReplayEnded,
  Replayer,
  type ReplayPacing,
  type ReplaySummary,
  type ReplayTarget,
} from "./replayer.ts";
export { TapeError } from "./tape-error.ts";
export {
  findTapeFiles,
  TAPE_FORMATS,
  type TapeFormat,
} from "./tape-files.ts";
