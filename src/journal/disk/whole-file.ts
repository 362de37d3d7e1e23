/** Small files that are read and replaced whole: a crash leaves the old or the new one. */
import { dirname } from "node:path";
import { type FileSystem, isMissingFile, type OpenFile } from "../../platform/index.ts";

/** Of files in the making; the next start removes those that a crash left. */
export const TEMPORARY_SUFFIX = ".tmp";

/** Null when there is no such file. */
export async function readWholeFile(
  fileSystem: FileSystem,
  path: string,
): Promise<Uint8Array | null> {
  let file: OpenFile;
  try {
    file = await fileSystem.open(path, "read");
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw error;
  }
  try {
    const bytes = new Uint8Array(await file.size());
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/** Temporary name, sync, rename, sync of the folder. */
export async function replaceWholeFile(
  fileSystem: FileSystem,
  path: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = path + TEMPORARY_SUFFIX;
  await removeIfThere(fileSystem, temporary);
  const file = await fileSystem.open(temporary, "create");
  try {
    await file.write(bytes, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await fileSystem.rename(temporary, path);
  await fileSystem.syncFolder(dirname(path));
}

export async function removeIfThere(fileSystem: FileSystem, path: string): Promise<void> {
  try {
    await fileSystem.remove(path);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
  }
}
