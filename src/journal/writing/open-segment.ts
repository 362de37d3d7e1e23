/** The segment that is being written, with the zeros preallocated in it. */
import type { FileSystem, OpenFile } from "../../platform/index.ts";
import type { RecoveredLog } from "../recovery/recovery.ts";
import { createSegment, SEGMENT_HEADER_BYTES } from "../segments/segment.ts";
import type { ChainPosition } from "../segments/segment-scan.ts";
import { Preallocation, type PreallocationOptions } from "./preallocation.ts";

interface SegmentOptions {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly preallocatedBytes: number;
  readonly background: FileSystem;
}

/** Of a new segment; the rest follows in the background. */
const FIRST_PREALLOCATED_BYTES = 256 * 1024;

export class OpenSegment {
  readonly file: OpenFile;
  readonly preallocation: Preallocation;
  readonly firstSequence: number;
  /** Where the next batch goes. */
  offset: number;

  private constructor(
    file: OpenFile,
    preallocation: Preallocation,
    firstSequence: number,
    offset: number,
  ) {
    this.file = file;
    this.preallocation = preallocation;
    this.firstSequence = firstSequence;
    this.offset = offset;
  }

  /** Continues the segment in which recovery ended. */
  static async resume(recovered: RecoveredLog, options: SegmentOptions): Promise<OpenSegment> {
    const { segment, segmentFirstSequence, offset, fileLength } = recovered;
    const end = Math.max(offset, fileLength);
    const preallocation = await Preallocation.open(
      options.background,
      segment.path,
      end,
      preallocationOptions(options),
    );
    const resumed = new OpenSegment(segment, preallocation, segmentFirstSequence, offset);
    preallocation.keepAhead(offset);
    return resumed;
  }

  /** A new one after `position`. */
  static async create(
    fileSystem: FileSystem,
    position: ChainPosition,
    options: SegmentOptions,
  ): Promise<OpenSegment> {
    const firstSequence = position.sequence + 1;
    const header = { ...position, firstSequence };
    const preallocatedBytes = Math.min(FIRST_PREALLOCATED_BYTES, options.preallocatedBytes);
    const file = await createSegment(fileSystem, options.folder, header, preallocatedBytes);
    const end = SEGMENT_HEADER_BYTES + preallocatedBytes;
    const preallocation = await Preallocation.open(
      options.background,
      file.path,
      end,
      preallocationOptions(options),
    );
    const created = new OpenSegment(file, preallocation, firstSequence, SEGMENT_HEADER_BYTES);
    preallocation.keepAhead(SEGMENT_HEADER_BYTES);
    return created;
  }

  get empty(): boolean {
    return this.offset === SEGMENT_HEADER_BYTES;
  }

  /** Cuts the zeros off and closes the file, which never changes again. */
  async finish(): Promise<void> {
    await this.preallocation.close();
    if (this.preallocation.failure !== null) throw this.preallocation.failure;
    await this.file.truncate(this.offset);
    await this.file.sync();
    await this.file.close();
  }

  async close(): Promise<void> {
    await this.preallocation.close();
    await this.file.close();
  }
}

function preallocationOptions(options: SegmentOptions): PreallocationOptions {
  return { limitBytes: options.segmentBytes, aheadBytes: options.preallocatedBytes };
}
