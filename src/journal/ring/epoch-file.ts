/** The epoch counter, raised at each opening: every batch names the run that wrote it. */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { FileSystem } from "../../platform/index.ts";
import { readWholeFile, replaceWholeFile } from "../disk/whole-file.ts";

const EPOCH_FILE = "epoch";
const EPOCH_TEXT = /^epoch (\d{1,15}) ([0-9a-f]{8})\n$/;

/** 0 when there is none yet; null when damaged: the journal's epochs then replace it. */
export async function readEpoch(fileSystem: FileSystem, folder: string): Promise<number | null> {
  const bytes = await readWholeFile(fileSystem, join(folder, EPOCH_FILE));
  if (bytes === null) return 0;
  const match = EPOCH_TEXT.exec(Buffer.from(bytes).toString("latin1"));
  const epoch = Number(match?.[1]);
  return match !== null && match[2] === checksum(epoch) ? epoch : null;
}

/** Durable when it resolves. */
export function writeEpoch(fileSystem: FileSystem, folder: string, epoch: number): Promise<void> {
  const text = `epoch ${epoch} ${checksum(epoch)}\n`;
  return replaceWholeFile(fileSystem, join(folder, EPOCH_FILE), Buffer.from(text, "latin1"));
}

function checksum(epoch: number): string {
  return crc32(`epoch ${epoch}`).toString(16).padStart(8, "0");
}
