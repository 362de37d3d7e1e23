/**
 * Proves the read side of the affiliate programme over what the real engine says: every question is
 * answered as by going through all events, after the file was closed and opened again at random
 * places, and every affiliate's statement, however it is cut, passes the check that anyone can
 * make.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import {
  STATEMENT_FORMATS,
  StatementWriter,
  utcDay,
  utcDayStartMs,
  verifyStatement,
} from "../../src/affiliate-statement/index.ts";
import { answerQuestion } from "../../src/queries/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { AFFILIATES } from "./affiliate-events.ts";
import { EngineTraffic } from "./engine-traffic.ts";
import { cut } from "./event-stream.ts";
import { openWritten, temporaryFolder, type WrittenHistory, write } from "./history-folder.ts";
import { HistoryModel } from "./history-model.ts";
import { AFFILIATE_QUESTIONS, randomQuestion } from "./questions.ts";

const random = seededRandom("affiliate history of the engine");
const DAY_MS = 86_400_000;
/** Of each, so many have to happen for the test to say anything. */
const KINDS = [
  "commission-accrued",
  "commission-released",
  "commission-reversed",
  "commissions-settled",
  "internal-withdrawal-made",
  "affiliate-set",
] as const;

test("real traffic is answered and stated as it happened", async (context) => {
  const seen = new Map<string, number>();
  for (let round = 0; round < scaled(2); round++) {
    const traffic = new EngineTraffic(random);
    traffic.run(1_500);
    const { commands } = traffic;
    const model = new HistoryModel();
    const folder = temporaryFolder();
    let history = await openWritten(context, folder);
    for (const command of commands) model.apply(command);
    for (const { type } of commands.flatMap(({ events }) => events)) {
      seen.set(type, (seen.get(type) ?? 0) + 1);
    }
    for (const chunk of cut(random, commands)) {
      write(history.projector, [chunk]);
      if (!random.chance(0.2)) continue;
      history.connection.close();
      history = await openWritten(context, folder);
    }
    const period = { startMs: commands[0]?.timestampMs ?? 0, endMs: model.lastTimeMs };
    for (const name of [...AFFILIATE_QUESTIONS, "bills", "audit"] as const) {
      for (let i = 0; i < 40; i++) {
        const { question } = randomQuestion(random, name, period);
        const { answer } = await answerQuestion(history.db, name, question as never);
        const expected = model.answer(name, question as never);
        assert.deepEqual(plain(answer), plain(expected), `${name} ${JSON.stringify(question)}`);
      }
    }
    for (const affiliateUid of AFFILIATES) await checkStatements(history, affiliateUid, period);
  }
  for (const kind of KINDS) assert.ok((seen.get(kind) ?? 0) > 5, `${kind}: ${seen.get(kind)}`);
});

/** Of all days, of a stretch of them, and of that stretch in two parts, each by itself. */
async function checkStatements(
  { db }: WrittenHistory,
  affiliateUid: number,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
): Promise<void> {
  const { answer: heads } = await answerQuestion(db, "statement-heads", {
    affiliateUid,
    fromDay: utcDay(startMs),
    limit: 1_000,
  });
  const some = startMs + random.integer(0, endMs - startMs);
  for (const fromMs of [startMs, some]) {
    const [from, to] = [utcDay(fromMs), utcDay(endMs)];
    const time = { fromMs: utcDayStartMs(from), toMs: (utcDayStartMs(to) ?? 0) + DAY_MS - 1 };
    for (const format of STATEMENT_FORMATS) {
      const about = { affiliateUid, time };
      const { answer: part } = await answerQuestion(db, "statement-part", {
        ...about,
        offset: 0,
        limit: 50_000,
      });
      const { openingOrdinal, openingHash, openingBalances: opening, entries, total } = part;
      assert.equal(entries.length, total);
      const days = { affiliateUid, from, to, complete: false, part: 1, parts: 1 };
      const cover = { ...days, openingOrdinal, openingHash, opening };
      const writer = new StatementWriter(cover, format);
      const half = Math.floor(total / 2);
      const rest = { ...about, offset: half, limit: total };
      const { answer: later } = await answerQuestion(db, "statement-part", rest);
      const text = [
        writer.open(),
        writer.entries(entries.slice(0, half)),
        writer.entries(later.entries),
        writer.close(sha256),
      ].join("");
      const published = heads.at(-1)?.hash ?? openingHash;
      const verdict = await verifyStatement(text, sha256, published);
      assert.equal(verdict.isValid ? "" : verdict.problem, "");
      if (total === 0) continue;
      const cutWriter = new StatementWriter(
        {
          ...cover,
          openingOrdinal: later.openingOrdinal,
          openingHash: later.openingHash,
          opening: later.openingBalances,
        },
        format,
      );
      const cutText = cutWriter.open() + cutWriter.entries(later.entries) + cutWriter.close(sha256);
      const cutVerdict = await verifyStatement(cutText, sha256, published);
      assert.equal(cutVerdict.isValid ? "" : cutVerdict.problem, "");
    }
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The details of an audit entry are compared as values, not as text. */
function plain(answer: unknown): unknown {
  const value = JSON.parse(JSON.stringify(answer));
  if (!Array.isArray(value)) return value;
  return value.map((row) =>
    typeof row.details === "string" ? { ...row, details: JSON.parse(row.details) } : row,
  );
}
