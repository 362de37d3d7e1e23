/**
 * Proves that a branch has the same files where a file may have no second name: on disks that
 * refuse links, for whatever reason, they are copied, of any length.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { FaultyFileSystem, SimulatedDisk } from "../../../test/support/simulated-disk.ts";
import { linkOrCopy } from "./log-branch.ts";

class DiskWithoutLinks extends FaultyFileSystem {
  readonly code: string;

  constructor(disk: SimulatedDisk, code: string) {
    super(disk);
    this.code = code;
  }

  override async link(): Promise<void> {
    throw Object.assign(new Error(`link: ${this.code}`), { code: this.code });
  }
}

test("what cannot be linked is copied, byte for byte", async () => {
  for (const code of ["EPERM", "EXDEV", "EMLINK"]) {
    for (const length of [0, 1, 512 * 1024, 512 * 1024 + 1]) {
      const disk = new SimulatedDisk();
      const bytes = Uint8Array.from({ length }, (_, at) => 1 + (at % 251));
      disk.place("/from/file", bytes);
      await linkOrCopy(new DiskWithoutLinks(disk, code), "/from/file", "/to");
      assert.deepEqual(disk.file("/to/file"), bytes, `${code}, ${length} bytes`);
    }
  }
});

test("another failure of a link is one", async () => {
  const disk = new SimulatedDisk();
  disk.place("/from/file", Uint8Array.of(1));
  const files = new DiskWithoutLinks(disk, "EIO");
  await assert.rejects(linkOrCopy(files, "/from/file", "/to"), /EIO/);
  assert.equal(disk.file("/to/file"), undefined);
});
