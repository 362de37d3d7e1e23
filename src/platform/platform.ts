/** Everything outside the program, in one object that the composition root passes on. */
import type { Clock } from "./clock.ts";
import type { FileSystem } from "./file-system.ts";
import type { Network } from "./network.ts";
import type { Randomness } from "./randomness.ts";
import type { Scheduler } from "./scheduler.ts";
import type { Threads } from "./threads.ts";

export interface Platform {
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly randomness: Randomness;
  readonly threads: Threads;
  /** Of the journal and its snapshots. */
  readonly files: FileSystem;
  readonly network: Network;
}
