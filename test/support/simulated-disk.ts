/**
 * A file system in memory for tests: it fails, or the machine stops, at any call; after a stop it
 * gives the disk as a killed process leaves it (page cache kept) or as a power cut does (what was
 * not synced is kept, lost or torn by sectors of 512 bytes, each file for itself).
 */
import { dirname } from "node:path";
import type { DiskSpace, FileAccess, FileSystem, OpenFile } from "../../src/platform/index.ts";
import type { Random } from "./random.ts";

const SECTOR_BYTES = 512;

type Change =
  | { readonly kind: "write"; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: "truncate"; readonly length: number };

/** A file's bytes as processes see them, as the disk has them, and what lies between. */
class Inode {
  cached: Uint8Array;
  durable: Uint8Array;
  /** Until the first sync the durable bytes may be those of another file, or the cached ones. */
  #ownsDurable = false;
  changes: Change[] = [];
  /** Syncs that failed so far. Like Linux, each open file is told of each failure once. */
  failures = 0;

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.cached = bytes;
    this.durable = bytes;
  }

  change(change: Change): void {
    this.changes.push(change);
    this.cached = applyChange(this.cached, change, this.cached === this.durable);
  }

  sync(): void {
    for (const change of this.changes) {
      this.durable = applyChange(this.durable, change, !this.#ownsDurable);
      this.#ownsDurable = true;
    }
    this.changes = [];
  }

  /** A failed sync: the pages count as clean, and nothing will ever write them again. */
  loseChanges(): void {
    this.changes = [];
    this.failures++;
  }

  /** Other bytes at a place, in whatever holds some of them. */
  patch(at: number, bytes: Uint8Array): void {
    for (const kept of [this.cached, this.durable]) {
      if (kept.length >= at + bytes.length) kept.set(bytes, at);
    }
    for (const change of this.changes) {
      if (change.kind === "write") overlay(change.bytes, change.offset, bytes, at);
    }
  }

  afterPowerCut(keeps: (change: Change) => readonly Change[]): Inode {
    let bytes: Uint8Array = this.durable.slice();
    for (const change of this.changes) {
      for (const kept of keeps(change)) bytes = applyChange(bytes, kept, false);
    }
    return new Inode(bytes);
  }
}

/** Puts the part of `over` that lies within `under` there. */
function overlay(under: Uint8Array, underAt: number, over: Uint8Array, overAt: number): void {
  const from = Math.max(underAt, overAt);
  const to = Math.min(underAt + under.length, overAt + over.length);
  if (from < to) under.set(over.subarray(from - overAt, to - overAt), from - underAt);
}

/** In place where the bytes are nobody else's and the length stays. */
function applyChange(bytes: Uint8Array, change: Change, shared: boolean): Uint8Array {
  if (change.kind === "truncate") return resized(bytes, change.length);
  const end = change.offset + change.bytes.length;
  const length = Math.max(end, bytes.length);
  const target = shared ? resized(bytes, length) : grown(bytes, length);
  target.set(change.bytes, change.offset);
  return target;
}

function resized(bytes: Uint8Array, length: number): Uint8Array {
  const result = new Uint8Array(length);
  result.set(bytes.subarray(0, length));
  return result;
}

/** With room for more, because a file that grows once goes on growing. */
function grown(bytes: Uint8Array, length: number): Uint8Array {
  if (length <= bytes.length) return bytes;
  const hasRoom = bytes.byteOffset === 0 && length <= bytes.buffer.byteLength;
  if (hasRoom) return new Uint8Array(bytes.buffer, 0, length);
  const result = new Uint8Array(new ArrayBuffer(length * 2), 0, length);
  result.set(bytes);
  return result;
}

type NameChange = (names: Map<string, Inode>) => void;

/** What a power cut does to changes that were not synced. */
export type PowerCut = "drops-all" | "keeps-all" | "tears";

/** The disk; it outlives the machines that run on it. */
export class SimulatedDisk {
  readonly names = new Map<string, Inode>();
  readonly #durableNames = new Map<string, Inode>();
  #nameChanges: { readonly folder: string; readonly apply: NameChange }[] = [];
  /** Bytes that the files may have together. */
  capacityBytes = Number.POSITIVE_INFINITY;

  changeNames(folder: string, apply: NameChange): void {
    apply(this.names);
    this.#nameChanges.push({ folder, apply });
  }

  syncFolder(folder: string): void {
    const kept = this.#nameChanges.filter((change) => change.folder !== folder);
    for (const change of this.#nameChanges) {
      if (change.folder === folder) change.apply(this.#durableNames);
    }
    this.#nameChanges = kept;
  }

  get usedBytes(): number {
    let used = 0;
    for (const { cached } of this.names.values()) used += cached.length;
    return used;
  }

  file(path: string): Uint8Array | undefined {
    return this.names.get(path)?.cached;
  }

  /** Puts a file there as if it had always been, or takes it away. */
  place(path: string, bytes: Uint8Array | null): void {
    const inode = bytes === null ? null : new Inode(bytes);
    for (const names of [this.names, this.#durableNames]) {
      if (inode === null) names.delete(path);
      else names.set(path, inode);
    }
  }

  /** Changes bytes of a file at rest, also for whoever has it open. */
  patch(path: string, at: number, bytes: Uint8Array): void {
    this.names.get(path)?.patch(at, bytes);
  }

  /** Between two runs of a program: the same files below another path. */
  renameFolder(from: string, to: string): void {
    for (const names of [this.names, this.#durableNames]) {
      for (const [path, inode] of [...names]) {
        if (!path.startsWith(`${from}/`)) continue;
        names.delete(path);
        names.set(to + path.slice(from.length), inode);
      }
    }
  }

  /** Everything as processes saw it, and durable. */
  afterKill(): SimulatedDisk {
    const disk = new SimulatedDisk();
    for (const [path, inode] of this.names) {
      const survivor = new Inode(inode.durable.slice());
      survivor.cached = inode.cached.slice();
      survivor.changes = [...inode.changes];
      disk.names.set(path, survivor);
    }
    for (const [path, inode] of disk.names) disk.#durableNames.set(path, inode);
    return disk;
  }

  afterPowerCut(cut: PowerCut, random: Random): SimulatedDisk {
    const names = new Map(this.#durableNames);
    const keptNames = { "drops-all": 0, "keeps-all": 1, tears: random.next() }[cut];
    const count = Math.round(keptNames * this.#nameChanges.length);
    for (const { apply } of this.#nameChanges.slice(0, count)) apply(names);
    const disk = new SimulatedDisk();
    for (const [path, inode] of names) {
      // Each file has a fate of its own, and a torn one loses single sectors.
      const fate =
        cut === "tears" ? random.pick(["drops-all", "keeps-all", "tears"] as const) : cut;
      const survivor = inode.afterPowerCut((change) => fateOf(change, fate, random));
      disk.place(path, survivor.cached);
    }
    return disk;
  }

  /** A copy on which a test may do anything; files are shared until they are changed. */
  fork(): SimulatedDisk {
    const disk = new SimulatedDisk();
    for (const [path, inode] of this.names) disk.place(path, inode.cached);
    return disk;
  }
}

function fateOf(change: Change, fate: PowerCut, random: Random): readonly Change[] {
  if (fate === "keeps-all") return [change];
  if (fate === "drops-all") return [];
  if (change.kind === "truncate") return random.chance(0.5) ? [change] : [];
  return sectorsOf(change.offset, change.bytes).filter(() => random.chance(0.5));
}

function sectorsOf(offset: number, bytes: Uint8Array): Change[] {
  const sectors: Change[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((offset + at) % SECTOR_BYTES));
    sectors.push({ kind: "write", offset: offset + at, bytes: bytes.slice(at, end) });
    at = end;
  }
  return sectors;
}

export type Operation =
  | "make-folder"
  | "list"
  | "open"
  | "rename"
  | "remove"
  | "link"
  | "sync-folder"
  | "space"
  | "size"
  | "read"
  | "write"
  | "write-now"
  | "sync"
  | "truncate"
  | "close";

/** `stop`: the machine ends at this call, which is done, not done, or done in part. */
export type Fault =
  | { readonly kind: "error"; readonly code: "EIO" | "ENOSPC" | "EMFILE" }
  | { readonly kind: "stop" };

export type FaultPlan = (operation: Operation, index: number) => Fault | null;

class MachineStopped extends Error {
  override readonly name = "MachineStopped";
}

function systemError(code: string, operation: string, path: string): Error {
  const error = new Error(`${code}: simulated, ${operation} '${path}'`);
  return Object.assign(error, { code, syscall: operation });
}

/** One run of a program on the disk. */
export class FaultyFileSystem implements FileSystem {
  readonly disk: SimulatedDisk;
  readonly #plan: FaultPlan;
  readonly #random: Random | null;
  #calls = 0;
  #stopped = false;

  /** With `random`, calls that are under way together are done in any order. */
  constructor(disk: SimulatedDisk, plan: FaultPlan = () => null, random: Random | null = null) {
    this.disk = disk;
    this.#plan = plan;
    this.#random = random;
  }

  get calls(): number {
    return this.#calls;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** `part` does some of a call that fails or at which the machine stops. */
  async perform<Value>(
    operation: Operation,
    path: string,
    effect: () => Value,
    part: (fault: Fault) => void = () => {},
  ): Promise<Value> {
    if (operation === "sync") await this.#someTurns();
    if (this.#stopped) return new Promise(() => {});
    const fault = this.#plan(operation, this.#calls++);
    if (fault === null) return effect();
    part(fault);
    if (fault.kind === "error") throw systemError(fault.code, operation, path);
    this.#stopped = true;
    return new Promise(() => {});
  }

  async #someTurns(): Promise<void> {
    if (this.#random === null) return;
    if (this.#random.chance(0.2)) await new Promise((resolve) => setImmediate(resolve));
    for (let turns = this.#random.integer(0, 3); turns > 0; turns--) await Promise.resolve();
  }

  performNow(
    operation: Operation,
    path: string,
    effect: () => void,
    part: (fault: Fault) => void,
  ): void {
    if (this.#stopped) throw new MachineStopped("the machine has stopped");
    const fault = this.#plan(operation, this.#calls++);
    if (fault === null) {
      effect();
      return;
    }
    part(fault);
    if (fault.kind === "error") throw systemError(fault.code, operation, path);
    this.#stopped = true;
    throw new MachineStopped("the machine has stopped");
  }

  /** Where a write lands: elsewhere, on a disk that misdirects it. */
  landingOf(_path: string, position: number, _bytes: Uint8Array): number {
    return position;
  }

  /** Before what a broken-off write leaves comes to the file. */
  onPart(_path: string, _position: number, _part: Uint8Array): void {}

  /** What was read, before the reader has it. */
  onRead(_path: string, _bytes: Uint8Array): void {}

  /** Whether a sync says that it was done and does nothing. */
  get isLying(): boolean {
    return false;
  }

  /** How much of `length` bytes a broken-off write leaves. */
  partOf(length: number): number {
    return this.#random === null ? length >> 1 : this.#random.integer(0, length);
  }

  makeFolder(folder: string): Promise<void> {
    return this.perform("make-folder", folder, () => {});
  }

  list(folder: string): Promise<readonly string[]> {
    return this.perform("list", folder, () => {
      const below = [...this.disk.names.keys()].filter((path) => path.startsWith(`${folder}/`));
      // Files, and the folders that have some.
      const names = below.map((path) => path.slice(folder.length + 1).split("/", 1)[0] as string);
      return [...new Set(names)];
    });
  }

  open(path: string, access: FileAccess): Promise<OpenFile> {
    return this.perform("open", path, () => {
      const { disk } = this;
      let inode = disk.names.get(path);
      if (access === "create") {
        if (inode !== undefined) throw systemError("EEXIST", "open", path);
        const created = new Inode();
        disk.changeNames(dirname(path), (names) => names.set(path, created));
        inode = created;
      }
      if (inode === undefined) throw systemError("ENOENT", "open", path);
      return new SimulatedFile(this, path, inode);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.perform("rename", from, () => {
      if (!this.disk.names.has(from)) throw systemError("ENOENT", "rename", from);
      this.disk.changeNames(dirname(from), (names) => {
        const inode = names.get(from);
        names.delete(from);
        if (inode !== undefined) names.set(to, inode);
      });
    });
  }

  remove(path: string): Promise<void> {
    return this.perform("remove", path, () => {
      if (!this.disk.names.has(path)) throw systemError("ENOENT", "unlink", path);
      this.disk.changeNames(dirname(path), (names) => names.delete(path));
    });
  }

  link(from: string, to: string): Promise<void> {
    return this.perform("link", to, () => {
      const inode = this.disk.names.get(from);
      if (inode === undefined) throw systemError("ENOENT", "link", from);
      if (this.disk.names.has(to)) throw systemError("EEXIST", "link", to);
      this.disk.changeNames(dirname(to), (names) => names.set(to, inode));
    });
  }

  syncFolder(folder: string): Promise<void> {
    return this.perform("sync-folder", folder, () => {
      if (!this.isLying) this.disk.syncFolder(folder);
    });
  }

  space(folder: string): Promise<DiskSpace> {
    const { disk } = this;
    return this.perform("space", folder, () => {
      const totalBytes = Math.min(disk.capacityBytes, Number.MAX_SAFE_INTEGER);
      return { totalBytes, freeBytes: totalBytes - disk.usedBytes };
    });
  }
}

class SimulatedFile implements OpenFile {
  readonly path: string;
  readonly #machine: FaultyFileSystem;
  readonly #inode: Inode;
  #knownFailures: number;

  constructor(machine: FaultyFileSystem, path: string, inode: Inode) {
    this.#machine = machine;
    this.path = path;
    this.#inode = inode;
    this.#knownFailures = inode.failures;
  }

  size(): Promise<number> {
    return this.#machine.perform("size", this.path, () => this.#inode.cached.length);
  }

  read(into: Uint8Array, position: number): Promise<number> {
    return this.#machine.perform("read", this.path, () => {
      const bytes = this.#inode.cached.subarray(position, position + into.length);
      into.set(bytes);
      this.#machine.onRead(this.path, into.subarray(0, bytes.length));
      return bytes.length;
    });
  }

  write(bytes: Uint8Array, position: number): Promise<void> {
    const effect = () => this.#land(bytes, position);
    const part = (fault: Fault) => this.#part(bytes, position, fault);
    return this.#machine.perform("write", this.path, effect, part);
  }

  writeNow(bytes: Uint8Array, position: number): void {
    const effect = () => this.#land(bytes, position);
    const part = (fault: Fault) => this.#part(bytes, position, fault);
    this.#machine.performNow("write-now", this.path, effect, part);
  }

  #land(bytes: Uint8Array, position: number): void {
    this.#store(bytes, this.#machine.landingOf(this.path, position, bytes));
  }

  /** A machine that stops has written whole sectors: no disk ever holds less of one. */
  #part(bytes: Uint8Array, position: number, fault: Fault): void {
    const some = this.#machine.partOf(bytes.length);
    const end = position + some;
    const isWhole = fault.kind === "error" || some === bytes.length;
    const length = isWhole ? some : end - (end % SECTOR_BYTES) - position;
    if (length === 0) return;
    const part = bytes.subarray(0, length);
    this.#machine.onPart(this.path, position, part);
    this.#store(part, position);
  }

  /** Up to what the disk has room for. */
  #store(bytes: Uint8Array, position: number): void {
    const { disk } = this.#machine;
    const growth = Math.max(0, position + bytes.length - this.#inode.cached.length);
    const excess = growth === 0 ? 0 : Math.max(0, disk.usedBytes + growth - disk.capacityBytes);
    const length = Math.max(0, bytes.length - excess);
    if (length > 0) {
      // A copy, also of a Buffer, whose own slices share its memory: writers use theirs again.
      const kept = new Uint8Array(bytes.subarray(0, length));
      this.#inode.change({ kind: "write", offset: position, bytes: kept });
    }
    if (length < bytes.length) throw systemError("ENOSPC", "write", this.path);
  }

  sync(): Promise<void> {
    const lose = (fault: Fault) => {
      if (fault.kind === "error") this.#inode.loseChanges();
      this.#knownFailures = this.#inode.failures;
    };
    return this.#machine.perform("sync", this.path, () => this.#syncInode(), lose);
  }

  #syncInode(): void {
    if (this.#machine.isLying) return;
    this.#inode.sync();
    if (this.#knownFailures === this.#inode.failures) return;
    this.#knownFailures = this.#inode.failures;
    throw systemError("EIO", "sync", this.path);
  }

  truncate(length: number): Promise<void> {
    const change = { kind: "truncate", length } as const;
    return this.#machine.perform("truncate", this.path, () => this.#inode.change(change));
  }

  close(): Promise<void> {
    return this.#machine.perform("close", this.path, () => {});
  }
}
