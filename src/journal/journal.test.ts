/**
 * Proves that the file and the memory journal keep the one contract of the port: one suite of
 * tests, run against both, the files on a simulated disk and on the machine's own, here and in a
 * thread.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type JournalAdapter, testJournalContract } from "../../test/support/journal-contract.ts";
import { seededRandom } from "../../test/support/random.ts";
import { FaultyFileSystem, SimulatedDisk } from "../../test/support/simulated-disk.ts";
import { BLOCKING_FILE_SYSTEM, type FileSystem, NODE_PLATFORM } from "../platform/index.ts";
import { openFileJournal } from "./file-journal.ts";
import {
  type DurableJournal,
  MemoryJournalStore,
  openMemoryJournal,
  openThreadedJournal,
} from "./index.ts";

const random = seededRandom("journal");

async function openFiles(folder: string, fileSystem?: FileSystem): Promise<DurableJournal> {
  const small = { folder, segmentBytes: 4096, preallocatedBytes: 1024 };
  const opening = await openFileJournal(fileSystem ? { ...small, fileSystem } : small);
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

async function openInThread(folder: string): Promise<DurableJournal> {
  const opening = await openThreadedJournal({
    folder,
    segmentBytes: 4096,
    preallocatedBytes: 1024,
    threads: NODE_PLATFORM.threads,
    onFailure(error) {
      throw error;
    },
  });
  assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
  return opening.journal;
}

const memory: JournalAdapter = {
  name: "memory",
  takesOver: true,
  store() {
    const store = new MemoryJournalStore();
    return {
      open: async () => openMemoryJournal(store),
      fail() {
        store.failing = true;
      },
      mend() {
        store.failing = false;
      },
      remove() {},
    };
  },
};

const simulatedFiles: JournalAdapter = {
  name: "files on a simulated disk",
  takesOver: false,
  store() {
    const disk = new SimulatedDisk();
    let failing = false;
    const plan = () => (failing ? ({ kind: "error", code: "EIO" } as const) : null);
    return {
      open: () => openFiles("/journal", new FaultyFileSystem(disk, plan)),
      fail() {
        failing = true;
      },
      mend() {
        failing = false;
      },
      remove() {},
    };
  },
};

/** While its folder is away, no segment can be made. */
function inFolder(name: string, open: (folder: string) => Promise<DurableJournal>): JournalAdapter {
  return {
    name,
    takesOver: false,
    store() {
      const parent = mkdtempSync(join(tmpdir(), "rialto-journal-"));
      const folder = join(parent, "journal");
      const away = join(parent, "away");
      return {
        open: () => open(folder),
        fail: () => renameSync(folder, away),
        mend() {
          assert.ok(!existsSync(folder));
          renameSync(away, folder);
        },
        remove: () => rmSync(parent, { recursive: true }),
      };
    },
  };
}

for (const adapter of [
  memory,
  simulatedFiles,
  inFolder("files", (folder) => openFiles(folder)),
  inFolder("files by blocking calls", (folder) => openFiles(folder, BLOCKING_FILE_SYSTEM)),
  inFolder("files in a thread", openInThread),
]) {
  testJournalContract(adapter, random);
}
