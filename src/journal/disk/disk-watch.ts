/** Checks the free space every second, so that orders are refused before the disk is full. */
import {
  type DiskSpace,
  type FileSystem,
  NODE_FILE_SYSTEM,
  type Scheduler,
  type Timer,
} from "../../platform/index.ts";

/**
 * Space is low below `fraction` of the disk, but never below `minimumBytes` nor above
 * `maximumBytes`.
 */
export interface SpaceReserve {
  readonly fraction: number;
  readonly minimumBytes: number;
  readonly maximumBytes: number;
}

const MEBIBYTE = 1024 * 1024;

/**
 * Five percent; of a large disk 4 GiB, which is many hours of orders, of a small one at least 64
 * MiB.
 */
export const DEFAULT_RESERVE: SpaceReserve = {
  fraction: 0.05,
  minimumBytes: 64 * MEBIBYTE,
  maximumBytes: 4096 * MEBIBYTE,
};

const LOOK_EVERY_MS = 1000;

export interface DiskWatchOptions {
  readonly fileSystem: FileSystem;
  readonly scheduler: Scheduler;
  readonly folder: string;
  readonly reserve: SpaceReserve;
}

export class DiskWatch {
  readonly #options: DiskWatchOptions;
  readonly #timer: Timer;
  #low = false;

  private constructor(options: DiskWatchOptions) {
    this.#options = options;
    this.#timer = options.scheduler.every(LOOK_EVERY_MS, () => void this.#look());
  }

  static async start(options: DiskWatchOptions): Promise<DiskWatch> {
    const watch = new DiskWatch(options);
    await watch.#look();
    return watch;
  }

  get low(): boolean {
    return this.#low;
  }

  /** When the file system cannot tell, the last answer stays: writes still report a full disk. */
  async #look(): Promise<void> {
    const { fileSystem, folder, reserve } = this.#options;
    try {
      this.#low = isLow(await fileSystem.space(folder), reserve);
    } catch {
      return;
    }
  }

  stop(): void {
    this.#timer.cancel();
  }
}

function isLow(space: DiskSpace, reserve: SpaceReserve): boolean {
  return space.freeBytes < reserveBytes(space, reserve);
}

function reserveBytes(space: DiskSpace, reserve: SpaceReserve): number {
  const wanted = Math.max(reserve.minimumBytes, space.totalBytes * reserve.fraction);
  return Math.min(wanted, reserve.maximumBytes);
}

/** The free space on a folder's disk, and the amount below which orders are refused. */
export async function diskSpace(
  folder: string,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): Promise<{ readonly freeBytes: number; readonly reserveBytes: number }> {
  const space = await fileSystem.space(folder);
  return { freeBytes: space.freeBytes, reserveBytes: reserveBytes(space, DEFAULT_RESERVE) };
}
