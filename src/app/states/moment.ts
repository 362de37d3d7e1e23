/**
 * A moment of a running exchange: what has to be taken while nothing happens is in memory, the rest
 * is written to a folder while trading goes on.
 */
import { mkdirSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "../../engine/engine.ts";
import { copyLog, openSnapshotFiles } from "../../journal/index.ts";
import type { KeyVault } from "../../keys/index.ts";
import type { Platform } from "../../platform/index.ts";
import type { Snapshot } from "../../protocol/index.ts";
import { historyPath, removeHistoryFile } from "../../store/index.ts";
import type { History } from "../history.ts";
import { makeSnapshot } from "../replay.ts";
import type { SequencedState } from "../sequencer.ts";
import { type CheckpointRecord, writeCheckpoint } from "./checkpoint-folders.ts";

const KEY_STORE_FILE = "keys.db";
const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;
/** Read from the journal when the moment is written. */
const NO_CHAIN_HASH = new Uint8Array(0);

export interface MomentSources {
  readonly platform: Pick<Platform, "clock" | "files">;
  readonly engine: Engine;
  readonly history: { readonly writer: Pick<History["writer"], "copyTo"> };
  readonly keys: Pick<KeyVault, "storeBytes">;
  /** The exchange's wall clock. */
  readonly clock: { nowMs(): number };
}

export class Moment {
  readonly folder: string;
  readonly #sources: MomentSources;
  readonly #snapshot: Snapshot;
  readonly #clockMs: number;
  readonly #keys: Buffer;
  /** A copy that failed is left out: whoever starts from the folder fills one from its journal. */
  readonly #history: Promise<void>;

  /** Takes the present moment for a new folder. Between two commands; nothing waits for a disk. */
  constructor(sources: MomentSources, folder: string, { sequence, eventDigest }: SequencedState) {
    const { clock, engine, history, keys } = sources;
    this.#sources = sources;
    this.folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    this.#snapshot = makeSnapshot(engine, sequence, eventDigest, NO_CHAIN_HASH);
    this.#clockMs = clock.nowMs();
    this.#keys = keys.storeBytes();
    const path = historyPath(folder);
    this.#history = history.writer.copyTo(path).catch(() => removeHistoryFile(path));
  }

  get sequence(): number {
    return this.#snapshot.sequence;
  }

  get stateHash(): string {
    return this.#snapshot.stateHash;
  }

  /**
   * Writes it from the journal that has its commands, durably. A failure leaves nothing behind, and
   * the moment can be written again.
   */
  async write(name: string, journalFolder: string): Promise<CheckpointRecord> {
    try {
      return await this.#write(name, journalFolder);
    } catch (error) {
      await this.drop();
      throw error;
    }
  }

  async #write(name: string, journalFolder: string): Promise<CheckpointRecord> {
    const { clock, files } = this.#sources.platform;
    const { sequence, stateHash } = this.#snapshot;
    mkdirSync(this.folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    const [{ chainHash, epoch }] = await Promise.all([
      copyLog(files, {
        from: journalFolder,
        to: join(this.folder, "journal"),
        throughSequence: sequence,
      }),
      writePrivateFile(join(this.folder, KEY_STORE_FILE), this.#keys),
      this.#history,
    ]);
    const snapshots = openSnapshotFiles({
      folder: join(this.folder, "snapshots"),
      fileSystem: files,
      now: () => clock.wallMs(),
    });
    await snapshots.save({ ...this.#snapshot, chainHash });
    const record: CheckpointRecord = {
      name,
      sequence,
      stateHash,
      chainHash: Buffer.from(chainHash).toString("hex"),
      epoch,
      clockMs: this.#clockMs,
      createdMs: clock.wallMs(),
    };
    await writeCheckpoint(this.folder, record, files);
    return record;
  }

  /** Removes what it has on disk. */
  async drop(): Promise<void> {
    await this.#history;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function writePrivateFile(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, "wx", PRIVATE_FILE_MODE);
  try {
    await file.writeFile(bytes);
    await file.datasync();
  } finally {
    await file.close();
  }
}
