/** The segment that is being written, with the room ahead in it. */
import type { FileSystem, OpenFile } from "../disk/file-system.ts";
import type { RecoveredLog } from "../recovery/recovery.ts";
import { createSegment, SEGMENT_HEADER_BYTES } from "../segments/segment.ts";
import type { ChainPosition } from "../segments/segment-scan.ts";
import { RoomAhead, type RoomOptions } from "./preallocation.ts";

interface SegmentOptions {
  readonly folder: string;
  readonly segmentBytes: number;
  readonly roomBytes: number;
}

/** What a new segment begins with; the rest of its room comes in the background. */
const FIRST_ROOM_BYTES = 256 * 1024;

export class OpenSegment {
  readonly file: OpenFile;
  readonly room: RoomAhead;
  readonly firstSequence: number;
  /** Where the next batch goes. */
  offset: number;

  private constructor(file: OpenFile, room: RoomAhead, firstSequence: number, offset: number) {
    this.file = file;
    this.room = room;
    this.firstSequence = firstSequence;
    this.offset = offset;
  }

  /** Goes on with the segment that recovery ended in. */
  static async resume(
    fileSystem: FileSystem,
    recovered: RecoveredLog,
    options: SegmentOptions,
  ): Promise<OpenSegment> {
    const { segment, segmentFirstSequence, offset, fileLength } = recovered;
    const end = Math.max(offset, fileLength);
    const room = await RoomAhead.open(fileSystem, segment.path, end, roomOptions(options));
    const resumed = new OpenSegment(segment, room, segmentFirstSequence, offset);
    room.keepAhead(offset);
    return resumed;
  }

  /** A new one, behind `position`. */
  static async create(
    fileSystem: FileSystem,
    position: ChainPosition,
    options: SegmentOptions,
  ): Promise<OpenSegment> {
    const firstSequence = position.sequence + 1;
    const header = { ...position, firstSequence };
    const roomBytes = Math.min(FIRST_ROOM_BYTES, options.roomBytes);
    const file = await createSegment(fileSystem, options.folder, header, roomBytes);
    const end = SEGMENT_HEADER_BYTES + roomBytes;
    const room = await RoomAhead.open(fileSystem, file.path, end, roomOptions(options));
    const created = new OpenSegment(file, room, firstSequence, SEGMENT_HEADER_BYTES);
    room.keepAhead(SEGMENT_HEADER_BYTES);
    return created;
  }

  get empty(): boolean {
    return this.offset === SEGMENT_HEADER_BYTES;
  }

  /** Cuts the zeros off and closes: from now on the file never changes. */
  async finish(): Promise<void> {
    await this.room.close();
    if (this.room.failure !== null) throw this.room.failure;
    await this.file.truncate(this.offset);
    await this.file.sync();
    await this.file.close();
  }

  async close(): Promise<void> {
    await this.room.close();
    await this.file.close();
  }
}

function roomOptions(options: SegmentOptions): RoomOptions {
  return { limitBytes: options.segmentBytes, aheadBytes: options.roomBytes };
}
