/** The real machine, as Node gives access to it. */
import { NODE_CLOCK } from "./clock.ts";
import { NODE_FILE_SYSTEM } from "./file-system.ts";
import { NODE_NETWORK } from "./network.ts";
import { NODE_THREADS } from "./node-threads.ts";
import type { Platform } from "./platform.ts";
import { NODE_RANDOMNESS } from "./randomness.ts";
import { NODE_SCHEDULER } from "./scheduler.ts";

export const NODE_PLATFORM: Platform = {
  clock: NODE_CLOCK,
  scheduler: NODE_SCHEDULER,
  randomness: NODE_RANDOMNESS,
  threads: NODE_THREADS,
  files: NODE_FILE_SYSTEM,
  network: NODE_NETWORK,
};
