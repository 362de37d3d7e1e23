/** The outside world as ports: clock, scheduler, randomness, threads, files and network. */
export { BLOCKING_FILE_SYSTEM } from "./blocking-file-system.ts";
export type { Clock } from "./clock.ts";
export {
  type DiskSpace,
  type FileAccess,
  type FileSystem,
  isDiskFull,
  isFileError,
  isLinkRefused,
  isMissingFile,
  NODE_FILE_SYSTEM,
  type OpenFile,
} from "./file-system.ts";
export { inlineThreads } from "./inline-threads.ts";
export type { Claim, ListenAddress, Listener, Lookup, Network } from "./network.ts";
export { NODE_PLATFORM } from "./node-platform.ts";
export type { Platform } from "./platform.ts";
export type { Randomness } from "./randomness.ts";
export type { Scheduler, Timer } from "./scheduler.ts";
export { seededDraw } from "./seeded-draw.ts";
export type { BodyPort, ThreadBody, ThreadContext } from "./thread-body.ts";
export { type Thread, type Threads, threadFailure } from "./threads.ts";
export { runInWorker } from "./worker.ts";
