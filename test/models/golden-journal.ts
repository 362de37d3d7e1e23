/**
 * A golden journal: the commands of random traffic under one version of the rules, with the state
 * and the events that they led to when that version was released. `npm test` replays every one of
 * them, so that no later program does something else with an old journal.
 */
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { extendEventDigest, INITIAL_EVENT_DIGEST } from "../../src/app/event-digest.ts";
import { ByteReader, ByteWriter, decodeCommand } from "../../src/protocol/index.ts";
import { LiveEngine } from "./live-engine.ts";

export interface GoldenJournal {
  readonly rulesVersion: number;
  readonly commands: number;
  readonly stateHash: string;
  /** SHA-256 chained over the events of each command, as the journal's running digest, in hex. */
  readonly eventDigest: string;
  /** Hex of deflated `[time u][length u][command …]`, one after the other. */
  readonly journal: string;
}

export interface Entry {
  readonly nowMs: number;
  readonly command: Uint8Array;
}

type Outcome = Omit<GoldenJournal, "journal">;

/** Carries the commands out; throws when one of them changes nothing. */
export function carryOut(entries: readonly Entry[]): Outcome {
  const live = new LiveEngine();
  let digest = INITIAL_EVENT_DIGEST;
  for (const [i, { nowMs, command }] of entries.entries()) {
    live.nowMs = nowMs;
    const events = live.chunkOf(decodeCommand(command));
    if (events.length === 0) throw new Error(`command ${i + 1} changes nothing any more`);
    digest = extendEventDigest(digest, events);
    // A restart in the middle must not show.
    if (i === entries.length >> 1) live.restart();
  }
  return {
    rulesVersion: live.engine.rulesVersion,
    commands: entries.length,
    stateHash: live.engine.stateHash(),
    eventDigest: Buffer.from(digest).toString("hex"),
  };
}

export function entriesOf({ journal }: GoldenJournal): Entry[] {
  const reader = new ByteReader(inflateRawSync(Buffer.from(journal, "hex")));
  const entries: Entry[] = [];
  while (!reader.atEnd) entries.push({ nowMs: reader.uint(), command: reader.bytes() });
  return entries;
}

/** The journal of commands, with what they lead to now. */
export function goldenJournalOf(entries: readonly Entry[]): GoldenJournal {
  const writer = new ByteWriter();
  for (const { nowMs, command } of entries) {
    writer.uint(nowMs);
    writer.bytes(command);
  }
  const journal = Buffer.from(deflateRawSync(writer.toBytes(), { level: 9 })).toString("hex");
  return { ...carryOut(entries), journal };
}
