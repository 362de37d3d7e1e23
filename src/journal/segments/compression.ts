/** Compresses closed segments, beside the writer and other readers. The follower calls it. */
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { type FileSystem, NODE_FILE_SYSTEM, type OpenFile } from "../../platform/index.ts";
import { DamagedJournal, refuse, repairAdvice } from "../damage.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import { removeIfThere, TEMPORARY_SUFFIX } from "../disk/whole-file.ts";
import { COMPRESSION_SUFFIX, listSegments, type SegmentName } from "./segment.ts";
import { type ChainPosition, SegmentScan } from "./segment-scan.ts";

const CHUNK_BYTES = 512 * 1024;
const ZSTD_PARAMETERS = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_checksumFlag]: 1,
};

/**
 * Compresses every closed raw segment, oldest first, and resolves with their names. The compressed
 * file is verified, batch by batch, before the raw one is removed; a damaged segment is left as it
 * is and thrown as `DamagedJournal`.
 */
export async function compressClosedSegments(
  folder: string,
  fileSystem: FileSystem = NODE_FILE_SYSTEM,
): Promise<readonly SegmentName[]> {
  const segments = await listSegments(fileSystem, folder);
  const compressed: SegmentName[] = [];
  for (const segment of segments.slice(0, -1)) {
    if (segment.form === "raw") compressed.push(await compressSegment(fileSystem, segment));
  }
  return compressed;
}

async function compressSegment(fileSystem: FileSystem, segment: SegmentName): Promise<SegmentName> {
  const before = await verifiedEnd(fileSystem, segment);
  const path = segment.path + COMPRESSION_SUFFIX;
  const result: SegmentName = { ...segment, form: "compressed", path };
  const temporary = path + TEMPORARY_SUFFIX;
  await removeIfThere(fileSystem, temporary);
  await writeCompressed(fileSystem, segment.path, temporary);
  const after = await verifiedEnd(fileSystem, { ...result, path: temporary });
  if (after.sequence !== before.sequence || !sameBytes(after.chainHash, before.chainHash)) {
    throw new DamagedJournal(badCompression(temporary, segment.firstSequence));
  }
  await fileSystem.rename(temporary, path);
  await fileSystem.syncFolder(dirname(path));
  await fileSystem.remove(segment.path);
  return result;
}

function badCompression(file: string, sequence: number) {
  const problem = "the compressed segment does not hold what the raw one does";
  return refuse(
    "unusable",
    { file, sequence },
    problem,
    "The raw segment was kept: check the disk",
  );
}

async function writeCompressed(fileSystem: FileSystem, from: string, to: string): Promise<void> {
  const source = await fileSystem.open(from, "read");
  const target = await fileSystem.open(to, "create");
  try {
    const compress = createZstdCompress({ params: ZSTD_PARAMETERS });
    await pipeline(chunksOf(source), compress, (chunks) => writeAll(target, chunks));
    await target.sync();
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

async function* chunksOf(file: OpenFile): AsyncGenerator<Uint8Array> {
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const count = await file.read(chunk, position);
    if (count === 0) return;
    position += count;
    yield chunk.subarray(0, count);
  }
}

async function writeAll(file: OpenFile, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let position = 0;
  for await (const chunk of chunks) {
    await file.write(chunk, position);
    position += chunk.length;
  }
}

/** The end of a segment in which every batch is whole and nothing follows the last. */
async function verifiedEnd(fileSystem: FileSystem, segment: SegmentName): Promise<ChainPosition> {
  const scan = await SegmentScan.open(fileSystem, segment);
  if (typeof scan === "string") throw damaged(segment, 0, segment.firstSequence, scan);
  try {
    let step = await scan.next();
    while (step.kind === "batch") step = await scan.next();
    if (step.atEndOfFile) return scan.position;
    throw damaged(segment, scan.offset, scan.position.sequence + 1, step.problem);
  } finally {
    await scan.close();
  }
}

function damaged(segment: SegmentName, offset: number, sequence: number, problem: string) {
  const place = { file: segment.path, offset, sequence };
  return new DamagedJournal(
    refuse("damaged", place, problem, repairAdvice(segment.path, sequence)),
  );
}
