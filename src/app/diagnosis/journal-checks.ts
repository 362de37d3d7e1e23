/** The end of the journal and what must match it: the clock, the snapshots, the history store. */
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type JournalInspection,
  openSnapshotFiles,
  verifyJournalEnd,
} from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { glanceAtHistory } from "../../store/history-file.ts";
import { CLOCK_REGRESSION_MAX_MS } from "../config.ts";
import { DUE_COMMANDS } from "../snapshot-follower.ts";
import { type Check, fail, ok, spanText, warn } from "./check.ts";

/** The end of the journal; null if there is no journal yet. */
export async function lookAtJournal(folder: string): Promise<JournalInspection | null> {
  const journalFolder = join(folder, "journal");
  return existsSync(journalFolder) ? await verifyJournalEnd({ folder: journalFolder }) : null;
}

/** `isHeld`: an unfinished write by the running exchange must not be reported as torn. */
export function checkJournal(journal: JournalInspection | null, isHeld: boolean): Check {
  const name = "journal";
  if (journal === null) return ok(name, "none yet");
  const { damage, notes, lastSequence } = journal;
  const [first] = damage;
  if (first !== undefined) {
    return fail(name, first.message, "Run `rialto journal verify` for the details.");
  }
  const end = `the last segments are intact, up to sequence ${lastSequence}`;
  if (notes.length > 0 && !isHeld) {
    return warn(name, `${end}; ${notes.join("; ")}`, "The next start repairs this.");
  }
  return ok(name, end);
}

/** A sandbox may be ahead of the wall clock by as much as it was advanced. */
export function checkClock(
  journal: JournalInspection | null,
  isSandbox: boolean,
  nowMs: number = NODE_PLATFORM.clock.wallMs(),
): Check {
  const name = "clock";
  const times = journal?.segments.map(({ lastTimestampMs }) => lastTimestampMs ?? 0) ?? [];
  const lastMs = Math.max(0, ...times);
  if (lastMs === 0) return ok(name, "nothing journaled yet");
  const time = new Date(lastMs).toISOString();
  const behindMs = lastMs - nowMs;
  if (isSandbox) return ok(name, `last journaled at ${time} of a sandbox's own time`);
  if (behindMs <= CLOCK_REGRESSION_MAX_MS) return ok(name, `last journaled at ${time}`);
  return fail(
    name,
    `the wall clock is ${spanText(behindMs)} behind the last journaled time (${time})`,
    "Set the clock, or start with --accept-clock-regression: exchange time then stands still.",
  );
}

export async function checkSnapshots(
  folder: string,
  journal: JournalInspection | null,
  nowMs: number = NODE_PLATFORM.clock.wallMs(),
): Promise<Check> {
  const name = "snapshots";
  const damaged: string[] = [];
  const files = openSnapshotFiles({
    folder: join(folder, "snapshots"),
    log: (_level, message) => damaged.push(message),
  });
  const [newest] = await files.list();
  const lastSequence = journal?.lastSequence ?? 0;
  if (damaged.length > 0) {
    return warn(name, damaged.join("; "), "A start skips it; remove it.");
  }
  const behind = lastSequence - (newest?.sequence ?? 0);
  if (newest !== undefined && behind < 0) {
    return fail(
      name,
      `the newest is of sequence ${newest.sequence}, but the journal ends with ${lastSequence}`,
      "Acknowledged commands are missing: restore the journal from a copy.",
    );
  }
  const age = newest === undefined ? "" : `, ${spanText(nowMs - newest.createdMs)} old`;
  const finding =
    newest === undefined
      ? `none; a start replays ${behind} commands`
      : `the newest is of sequence ${newest.sequence}${age}; a start replays ${behind} commands`;
  if (behind <= 2 * DUE_COMMANDS) return ok(name, finding);
  return warn(
    name,
    finding,
    "One is due every million commands: look for failed snapshots in the log, or make one with " +
      "POST /operator/v1/snapshots.",
  );
}

/** While an exchange runs, its own status reports how far its history lags. */
export function checkHistory(folder: string, journal: JournalInspection | null): Check {
  const name = "history";
  const lastSequence = journal?.lastSequence ?? 0;
  const glance = glanceAtHistory(folder);
  const file = basename(glance.path);
  const refill = "The next start rebuilds it from the journal while trading continues.";
  switch (glance.kind) {
    case "damaged":
      return warn(name, `${file} is damaged`, refill);
    case "unknown":
      return ok(name, `${file} is in use, or was left by a crash; the next start handles it`);
    case "missing": {
      if (lastSequence === 0) return ok(name, "none yet");
      const others = readdirSync(folder).filter((entry) => /^history-v\d+\.db$/.test(entry));
      const finding = others.length > 0 ? `${others.join(", ")} has another version` : "missing";
      return warn(name, `${file} does not exist; ${finding}`, refill);
    }
    case "whole": {
      const behind = lastSequence - glance.appliedSequence;
      if (behind > 0) return warn(name, `${file} is ${behind} commands behind`, refill);
      return ok(name, `${file} is complete up to sequence ${glance.appliedSequence}`);
    }
  }
}
