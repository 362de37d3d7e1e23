/** Checks the free space every second, so that orders are refused before the disk is full. */
import { type DiskSpace, type FileSystem, NODE_FILE_SYSTEM } from "./file-system.ts";

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

export class DiskWatch {
  readonly #fileSystem: FileSystem;
  readonly #folder: string;
  readonly #reserve: SpaceReserve;
  readonly #timer: NodeJS.Timeout;
  #low = false;

  private constructor(fileSystem: FileSystem, folder: string, reserve: SpaceReserve) {
    this.#fileSystem = fileSystem;
    this.#folder = folder;
    this.#reserve = reserve;
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS);
    this.#timer.unref();
  }

  static async start(
    fileSystem: FileSystem,
    folder: string,
    reserve: SpaceReserve,
  ): Promise<DiskWatch> {
    const watch = new DiskWatch(fileSystem, folder, reserve);
    await watch.#look();
    return watch;
  }

  get low(): boolean {
    return this.#low;
  }

  /** When the file system cannot tell, the last answer stays: writes still report a full disk. */
  async #look(): Promise<void> {
    try {
      this.#low = isLow(await this.#fileSystem.space(this.#folder), this.#reserve);
    } catch {
      return;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
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
