/**
 * Affiliate statements: whole days of the caller's chain of hashes, in a file that can be checked
 * offline, and the hash at the end of each day. A file is read and written in pieces, so that a
 * long one holds up no other request.
 */
import { createHash } from "node:crypto";
import {
  STATEMENT_PART_ENTRIES_MAX,
  type StatementCover,
  type StatementFormat,
  StatementWriter,
} from "../../affiliate-statement/index.ts";
import {
  CSV_MEDIA,
  v2StatementHeadsRoute,
  v2StatementRoute,
  v3StatementHeadsRoute,
  v3StatementRoute,
} from "../../api/affiliate/statement.ts";
import { refuse } from "../../api/errors.ts";
import { accept, invariant } from "../../domain/index.ts";
import type { HistoryQuestion } from "../../queries/history-port.ts";
import {
  type Caller,
  type Endpoint,
  type Exchange,
  endpoint,
  type Handler,
  type Outcome,
  type QueryInput,
} from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { JSON_CONTENT_TYPE } from "../http/reply.ts";
import { DAY_MS, type Read } from "../parameters.ts";
import { dayOf, queryCallingAffiliate, readDay } from "./parameters.ts";

/** Few enough to be written between two orders. */
const PIECE_ENTRIES = 250;
/** A file may have tens of megabytes, and all of it is in memory until it is sent. */
const FILES_AT_ONCE_MAX = 2;

type Query = QueryInput<typeof v2StatementRoute>;
type Question = HistoryQuestion<"statement-part">;
type Encode = (text: string) => Buffer;

interface StatementFile {
  readonly format: StatementFormat;
  readonly cover: StatementCover;
  /** Of all parts. */
  readonly entries: number;
  readonly pieces: readonly Buffer[];
}

let filesInTheMaking = 0;

async function makeFile(
  caller: Caller,
  query: Query,
  exchange: Exchange,
  encode: Encode,
): Promise<Outcome<StatementFile>> {
  const question = readQuestion(caller, query);
  if (!question.ok) return question;
  if (filesInTheMaking === FILES_AT_ONCE_MAX) return { ok: false, unavailable: "overloaded" };
  filesInTheMaking++;
  try {
    return await writeFile(query, question.value, exchange, encode);
  } finally {
    filesInTheMaking--;
  }
}

function readQuestion({ uid }: Caller, query: Query): Read<Question> {
  const from = readDay(query.from, "from");
  if (!from.ok) return from;
  const to = readDay(query.to, "to");
  if (!to.ok) return to;
  if (from.value > to.value) return refuse("start-after-end", "from", "from must not be after to");
  return accept({
    affiliateUid: uid,
    time: { fromMs: from.value, toMs: to.value + DAY_MS - 1 },
    offset: (query.part - 1) * STATEMENT_PART_ENTRIES_MAX,
    limit: PIECE_ENTRIES,
  });
}

async function writeFile(
  query: Query,
  question: Question,
  exchange: Exchange,
  encode: Encode,
): Promise<Outcome<StatementFile>> {
  const { format, part, from, to } = query;
  const affiliateUid = question.affiliateUid;
  const affiliate = await queryCallingAffiliate(exchange, affiliateUid);
  if (!affiliate.ok) return affiliate;
  const { sequence, timestampMs } = affiliate;
  const today = dayOf(timestampMs);
  if (to > today) return refuse("parameter-out-of-range", "to", `at most today, ${today}`);

  const first = await queryHistory(exchange, "statement-part", question, sequence);
  if (!first.ok) return first;
  const { entries, total, openingOrdinal, openingHash, openingBalances: opening } = first.value;
  const parts = Math.max(1, Math.ceil(total / STATEMENT_PART_ENTRIES_MAX));
  if (part > parts) return refuse("parameter-out-of-range", "part", `from 1 to ${parts}`);
  const complete = to < today;
  const chain = { openingOrdinal, openingHash, opening };
  const cover: StatementCover = { affiliateUid, from, to, complete, part, parts, ...chain };
  const writer = new StatementWriter(cover, format);
  const pieces = [encode(writer.open()), encode(writer.entries(entries))];

  // What was added since the first piece is for the next statement.
  const end = Math.min(total, question.offset + STATEMENT_PART_ENTRIES_MAX);
  let offset = question.offset + entries.length;
  while (offset < end) {
    const limit = Math.min(PIECE_ENTRIES, end - offset);
    const next = await queryHistory(
      exchange,
      "statement-part",
      { ...question, offset, limit },
      sequence,
    );
    if (!next.ok) return next;
    invariant(next.value.entries.length > 0, "a chain does not become shorter");
    pieces.push(encode(writer.entries(next.value.entries)));
    offset += next.value.entries.length;
  }
  pieces.push(encode(writer.close(sha256)));
  return accept({ format, cover, entries: total, pieces });
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** As the inside of a JSON text. */
function escaped(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1));
}

export const v2Statement = endpoint(
  v2StatementRoute,
  async ({ caller, query }, exchange) => {
    const file = await makeFile(caller, query, exchange, escaped);
    if (!file.ok) return file;
    const { format, cover, entries, pieces } = file.value;
    const { part, parts, complete } = cover;
    return accept({ format, part, parts, entries, complete, escapedPieces: pieces });
  },
  ({ escapedPieces, ...facts }) => {
    const before = `${JSON.stringify(facts).slice(0, -1)},"document":"`;
    return Buffer.concat([Buffer.from(before), ...escapedPieces, Buffer.from('"}')]);
  },
);

export const v3Statement: Endpoint<typeof v3StatementRoute> = {
  ...endpoint(
    v3StatementRoute,
    async ({ caller, query }, exchange) => {
      const file = await makeFile(caller, query, exchange, (text) => Buffer.from(text));
      return file.ok ? accept({ format: file.value.format, pieces: file.value.pieces }) : file;
    },
    ({ pieces }) => Buffer.concat(pieces),
  ),
  contentType: ({ format }) =>
    format === "csv" ? `${CSV_MEDIA}; charset=utf-8` : JSON_CONTENT_TYPE,
};

const FIRST_DAY = dayOf(0);

/** The caller's chain of hashes at the end of each day. */
const heads: Handler<typeof v2StatementHeadsRoute> = async ({ caller, query }, exchange) => {
  const { from: fromDay = FIRST_DAY, limit } = query;
  const from = readDay(fromDay, "from");
  if (!from.ok) return from;
  const affiliate = await queryCallingAffiliate(exchange, caller.uid);
  if (!affiliate.ok) return affiliate;
  const question = { affiliateUid: caller.uid, fromDay, limit };
  const answer = await queryHistory(exchange, "statement-heads", question, affiliate.sequence);
  if (!answer.ok) return answer;
  const today = dayOf(affiliate.timestampMs);
  return accept(
    answer.value.map(({ day, ordinal, hash }) => {
      return { date: day, ordinal, hash, complete: day < today };
    }),
  );
};

export const v2StatementHeads = endpoint(v2StatementHeadsRoute, heads);
export const v3StatementHeads = endpoint(v3StatementHeadsRoute, heads);

export const STATEMENT_ENDPOINTS: readonly Endpoint[] = [
  v2Statement,
  v3Statement,
  v2StatementHeads,
  v3StatementHeads,
];
