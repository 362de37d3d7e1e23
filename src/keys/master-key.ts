/**
 * The master key, under which every API secret is sealed. Its file has one line per version,
 * `<version> <64 hex digits>`: the highest version seals, the others only open what they sealed,
 * so that a key is replaced by adding a line. Nothing but derived keys leaves this file.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Randomness } from "../platform/index.ts";
import { readPrivateFile, UnusableSecrets, writePrivateFile } from "./private-file.ts";

const MASTER_KEY_BYTES = 32;
const VERSIONS_MAX = 16;
const LINE = /^([1-9]\d{0,8}) ([0-9a-f]{64})$/;
const LINE_FORM = "one line per version: <version> <64 lower-case hex digits>";

export interface MasterKey {
  readonly version: number;
  /** Seals API secrets. */
  readonly sealingKey: KeyObject;
  /** Turns passphrases into digests. */
  readonly passphraseKey: KeyObject;
  /** Known to the nodes of a cluster alone, who speak with each other under it. */
  readonly linkKey: KeyObject;
  /** Tells one master key from another and reveals nothing of it. */
  readonly fingerprint: Buffer;
}

export interface MasterKeyRing {
  readonly path: string;
  readonly current: MasterKey;
  readonly byVersion: ReadonlyMap<number, MasterKey>;
}

/** Reads the ring; null when there is no such file. Throws `UnusableSecrets`. */
export function readMasterKeys(path: string): MasterKeyRing | null {
  const text = readPrivateFile(path);
  return text === null ? null : parseMasterKeys(path, text);
}

/** Draws version 1 and keeps it in a new file with mode 0600. */
export function generateMasterKey(path: string, randomness: Randomness): MasterKeyRing {
  const text = `1 ${randomness.bytes(MASTER_KEY_BYTES).toString("hex")}\n`;
  writePrivateFile(path, text);
  return parseMasterKeys(path, text);
}

/** Adds a new version, which seals from now on; the others still open. Whole after a crash. */
export function addMasterKey(path: string, randomness: Randomness): MasterKeyRing {
  const text = readPrivateFile(path) ?? "";
  const { current } = parseMasterKeys(path, text);
  const line = `${current.version + 1} ${randomness.bytes(MASTER_KEY_BYTES).toString("hex")}\n`;
  const kept = text.endsWith("\n") ? text : `${text}\n`;
  // Checked before it is written: the file has room for so many versions only.
  const added = parseMasterKeys(path, kept + line);
  writePrivateFile(path, kept + line);
  return added;
}

/** Keeps the newest version alone. Whole after a crash. */
export function dropOlderMasterKeys(path: string): void {
  const text = readPrivateFile(path) ?? "";
  const { current } = parseMasterKeys(path, text);
  const newest = text.split("\n").find((line) => line.startsWith(`${current.version} `)) ?? "";
  writePrivateFile(path, `${newest}\n`);
}

function parseMasterKeys(path: string, text: string): MasterKeyRing {
  const lines = text.split("\n").filter((line) => line !== "");
  const byVersion = new Map<number, MasterKey>();
  let current: MasterKey | null = null;
  for (const [index, line] of lines.entries()) {
    const match = LINE.exec(line);
    // The line itself is never part of the message: it may be the key.
    if (match === null) throw new UnusableSecrets(`${path} line ${index + 1} is not ${LINE_FORM}`);
    const key = deriveMasterKey(Number(match[1]), Buffer.from(match[2] as string, "hex"));
    if (byVersion.has(key.version)) {
      throw new UnusableSecrets(`${path} has version ${key.version} twice`);
    }
    byVersion.set(key.version, key);
    if (current === null || key.version > current.version) current = key;
  }
  if (current === null) throw new UnusableSecrets(`${path} is empty; it needs ${LINE_FORM}`);
  if (byVersion.size > VERSIONS_MAX) {
    throw new UnusableSecrets(`${path} has more than ${VERSIONS_MAX} versions`);
  }
  return { path, current, byVersion };
}

function deriveMasterKey(version: number, bytes: Buffer): MasterKey {
  const fingerprintKey = derive(bytes, "rialto master key fingerprint");
  return {
    version,
    sealingKey: derive(bytes, "rialto api secrets"),
    passphraseKey: derive(bytes, "rialto passphrases"),
    linkKey: derive(bytes, "rialto links between nodes"),
    fingerprint: createHmac("sha256", fingerprintKey).update(`${version}`).digest(),
  };
}

/** HKDF-SHA256 (RFC 5869): one independent key per purpose. */
function derive(bytes: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", bytes, "", purpose, MASTER_KEY_BYTES)));
}
