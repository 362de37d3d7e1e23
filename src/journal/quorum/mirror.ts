/**
 * A node's copy of the log in segment files, the same bytes: whatever reads a journal in a folder
 * reads it. The log itself is in PostgreSQL, so the copy is not synced with each commit; what a
 * crash tears from its end is cut off and fetched again.
 */
import { join } from "node:path";
import { invariant } from "../../domain/index.ts";
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import { DamagedJournal, refuse } from "../damage.ts";
import { TEMPORARY_SUFFIX } from "../disk/whole-file.ts";
import { GENESIS_CHAIN_HASH } from "../segments/batch-format.ts";
import {
  createSegment,
  listSegments,
  SEGMENT_HEADER_BYTES,
  type SegmentName,
} from "../segments/segment.ts";
import { type ChainPosition, SegmentScan } from "../segments/segment-scan.ts";

export interface MirrorOptions {
  readonly fileSystem: FileSystem;
  /** Created if missing. */
  readonly folder: string;
  /** A segment is closed when the next commit would exceed this. */
  readonly segmentBytes: number;
}

const GENESIS: ChainPosition = { sequence: 0, chainHash: GENESIS_CHAIN_HASH, epoch: 0 };

export class Mirror {
  readonly #options: MirrorOptions;
  #segment: SegmentName;
  #file: OpenFile;
  #offset: number;
  #position: ChainPosition;
  /** Writes, and what closes segments, one after the other. */
  #turn: Promise<void> = Promise.resolve();

  private constructor(options: MirrorOptions, segment: SegmentName, file: OpenFile, end: End) {
    this.#options = options;
    this.#segment = segment;
    this.#file = file;
    this.#offset = end.offset;
    this.#position = end.position;
  }

  /** Cuts off what makes no batch at the end. Rejects with `DamagedJournal`. */
  static async open(options: MirrorOptions): Promise<Mirror> {
    const { fileSystem, folder } = options;
    await fileSystem.makeFolder(folder);
    for (const name of await fileSystem.list(folder)) {
      if (name.endsWith(TEMPORARY_SUFFIX)) await fileSystem.remove(join(folder, name));
    }
    const segments = await listSegments(fileSystem, folder);
    const last = segments.at(-1);
    if (last === undefined) return Mirror.#create(options, GENESIS);
    if (segments[0]?.firstSequence !== 1) throw damaged(last, "the first segment is missing");
    const end = await scanTo(fileSystem, last, Number.POSITIVE_INFINITY);
    if (last.form === "compressed") return Mirror.#create(options, end.position);
    const file = await fileSystem.open(last.path, "write");
    await file.truncate(end.offset);
    return new Mirror(options, last, file, end);
  }

  static async #create(options: MirrorOptions, position: ChainPosition): Promise<Mirror> {
    const { fileSystem, folder } = options;
    const firstSequence = position.sequence + 1;
    const file = await createSegment(fileSystem, folder, { ...position, firstSequence }, 0);
    const segment: SegmentName = { firstSequence, form: "raw", path: file.path };
    return new Mirror(options, segment, file, { position, offset: SEGMENT_HEADER_BYTES });
  }

  /** The end of the copy. */
  get position(): ChainPosition {
    return this.#position;
  }

  /** Appends a row's batches, which end the log at `position`. Readers see them at once. */
  write(bytes: Uint8Array, position: ChainPosition): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isEmpty && this.#offset + bytes.length > this.#options.segmentBytes) {
        await this.#startSegment();
      }
      this.#file.writeNow(bytes, this.#offset);
      this.#offset += bytes.length;
      this.#position = position;
    });
  }

  /** Closes the segment, unless it is empty. */
  roll(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#isEmpty) await this.#startSegment();
    });
  }

  get #isEmpty(): boolean {
    return this.#offset === SEGMENT_HEADER_BYTES;
  }

  async #startSegment(): Promise<void> {
    await this.#file.sync();
    // Without room for it, the present one stays open.
    const next = await Mirror.#create(this.#options, this.#position);
    await this.#file.close();
    this.#file = next.#file;
    this.#segment = next.#segment;
    this.#offset = next.#offset;
  }

  /** Drops what follows `sequence`, the end of a batch in the last segment. */
  async cutTo(sequence: number): Promise<void> {
    const end = await scanTo(this.#options.fileSystem, this.#segment, sequence);
    invariant(end.position.sequence === sequence, "a batch of the last segment ends there");
    await this.#file.truncate(end.offset);
    this.#offset = end.offset;
    this.#position = end.position;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#file.sync();
    await this.#file.close();
  }
}

/** Where the batches of a segment end. */
interface End {
  readonly position: ChainPosition;
  readonly offset: number;
}

/** The end of the last batch up to `sequence`, or of the last whole one. */
async function scanTo(
  fileSystem: FileSystem,
  segment: SegmentName,
  sequence: number,
): Promise<End> {
  const scan = await SegmentScan.open(fileSystem, segment);
  if (typeof scan === "string") throw damaged(segment, scan);
  try {
    let end: End = { position: scan.position, offset: scan.offset };
    for (;;) {
      const step = await scan.next();
      if (step.kind === "stop" || scan.position.sequence > sequence) return end;
      end = { position: scan.position, offset: scan.offset };
    }
  } finally {
    await scan.close();
  }
}

function damaged({ path, firstSequence }: SegmentName, problem: string): DamagedJournal {
  const advice = "Move the journal's folder away: the next start fetches it from PostgreSQL";
  const place = { file: path, offset: 0, sequence: firstSequence };
  return new DamagedJournal(refuse("damaged", place, problem, advice));
}
