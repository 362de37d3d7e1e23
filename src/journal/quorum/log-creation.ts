/** Makes the log of a venue in a database of PostgreSQL, empty or with what it has so far. */
import type { FileSystem } from "../../platform/index.ts";
import { boundAt, readLog } from "../segments/journal-reader.ts";
import type { Connecting } from "./connection.ts";
import {
  createLog,
  hasWriterRole,
  type LoadedRow,
  type SealedKeys,
  type WebhookPosition,
} from "./log-table.ts";
import { findEmpty, NoPrimary } from "./primary.ts";

export interface LogCreation extends Connecting {
  /** Of all nodes, each the address of the same database. */
  readonly urls: readonly string[];
  /** A UUID. */
  readonly venueId: string;
  /** Whether its clock may be moved. */
  readonly sandbox?: boolean;
  /** What the venue has so far; a new one begins with nothing. */
  readonly content?: VenueContent;
  /** Ordinals in each partition of the table. */
  readonly partitionRows?: number;
}

export interface VenueContent {
  readonly fileSystem: FileSystem;
  /** Nothing else uses it. */
  readonly journalFolder: string;
  readonly throughSequence: number;
  readonly keys: SealedKeys;
  readonly webhooks: readonly WebhookPosition[];
}

type Created =
  | {
      readonly ok: true;
      readonly sequence: number;
      /** Whether there is a role for nodes that do not own the log. */
      readonly hasRole: boolean;
    }
  | { readonly ok: false; readonly refusal: string };

const CREATE_MS = 30_000;
const MAX_ROW_BYTES = 1024 * 1024;

/** A refusal is a sentence that says which node is wrong, and how. Throws `DamagedJournal`. */
export async function createQuorumLog(options: LogCreation): Promise<Created> {
  const { urls, venueId, sandbox = false, content, partitionRows } = options;
  try {
    const { connection } = await findEmpty(urls, options);
    const loaded = content && { ...content, rows: rowsOf(content) };
    try {
      const create = createLog(
        connection,
        { venueId, sandbox },
        CREATE_MS,
        loaded ?? null,
        partitionRows,
      );
      const sequence = await create;
      return { ok: true, sequence, hasRole: await hasWriterRole(connection, CREATE_MS) };
    } finally {
      connection.destroy();
    }
  } catch (error) {
    if (!(error instanceof NoPrimary)) throw error;
    return { ok: false, refusal: `${error.message}.` };
  }
}

/** A row has batches of one epoch, up to a mebibyte unless a single one is longer. */
async function* rowsOf(content: VenueContent): AsyncGenerator<LoadedRow, void, undefined> {
  const { fileSystem, journalFolder, throughSequence } = content;
  if (throughSequence === 0) return;
  let parts: Buffer[] = [];
  let length = 0;
  let end: Omit<LoadedRow, "bytes"> | null = null;
  const located = readLog(fileSystem, journalFolder, 1, boundAt(throughSequence));
  for await (const { batch, bytes, header } of located) {
    const isFull = length + bytes.length > MAX_ROW_BYTES || header.epoch !== end?.epoch;
    if (end !== null && isFull) {
      yield { ...end, bytes: Buffer.concat(parts) };
      parts = [];
      length = 0;
    }
    // The next one may be read into the same memory.
    parts.push(Buffer.from(bytes));
    length += bytes.length;
    const { epoch, lastSequence } = header;
    end = { epoch, lastSequence, chainHash: new Uint8Array(batch.chainHash) };
  }
  if (end !== null) yield { ...end, bytes: Buffer.concat(parts) };
}
