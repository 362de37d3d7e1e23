/** Recordings of markets as messages that an exchange applies. Knows files, and no exchange. */
export type { Difference } from "./book-comparison.ts";
export { MarketGrid, type TapeMarket } from "./market-grid.ts";
export {
  type AppliedMessages,
  Replayer,
  type ReplayPacing,
  type ReplaySummary,
  type ReplayTarget,
} from "./replayer.ts";
export { TapeError } from "./tape-error.ts";
export {
  BookRows,
  findTapeFiles,
  openReader,
  readTape,
  TAPE_FORMATS,
  type TapeFiles,
  type TapeFormat,
} from "./tape-files.ts";
