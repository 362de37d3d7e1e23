/**
 * Statements of affiliates and the heads of their chain. A file is verified as anyone would, with
 * the hash of the naive chain, and says what the naive history does.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type Statement,
  type StatementEntry,
  statementText,
  verifyStatement,
} from "../../src/affiliate-statement/index.ts";
import type { HistoryAnswer } from "../../src/queries/index.ts";
import { exact, sum, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import { type Known, maybe, type Question, type Readings, sentOf, someLimit } from "./questions.ts";

const DAY_MS = 86_400_000;
const TITLE = "rialto affiliate statement v1";
const FIRST_DAY = "1970-01-01";
const ALL = 1_000_000;

const dayText = (ms: number) => new Date(ms).toISOString().slice(0, 10);

function headsOf({ history, uid }: Known, fromDay = FIRST_DAY, limit = ALL) {
  return history.answer("statement-heads", { affiliateUid: uid, fromDay, limit });
}

export function someStatementHeads(known: Known, random: Random): Question {
  const days = headsOf(known).map(({ day }) => day);
  const from = maybe(random, days);
  const { limit, sent } = someLimit(random, 100, 366, days.length);
  return {
    sent: sentOf({ from: from ?? undefined, limit: sent }),
    isOfNow: true,
    due: (_, nowMs) =>
      headsOf(known, from ?? FIRST_DAY, limit).map(({ day: date, hash, ordinal }) => {
        return { date, ordinal, hash, complete: date < dayText(nowMs) };
      }),
  };
}

/** Of one coin, over the entries of a statement. */
function totalOf(
  { asset, held, owed, payable }: HistoryAnswer<"statement-part">["openingBalances"][number],
  all: readonly StatementEntry[],
) {
  const entries = all.filter((entry) => entry.asset === asset);
  const last = entries.at(-1);
  const total = (of: (entry: StatementEntry) => string) =>
    text(sum(entries.map((entry) => exact(of(entry)))));
  const amounts = (kind: StatementEntry["kind"]) =>
    total((entry) => (entry.kind === kind ? entry.amount : "0"));
  return {
    ...{ asset, entries: entries.length, earned: amounts("commission") },
    ...{ capped: total((entry) => entry.capped), released: amounts("release") },
    ...{ reversed: amounts("reversal"), fromPayable: total((entry) => entry.fromPayable) },
    fromSpot: total((entry) => entry.fromSpot),
    newlyOwed: total((entry) => entry.newlyOwed),
    accrued: amounts("settlement"),
    recovered: total((entry) => entry.recovered),
    paid: total((entry) => entry.paid),
    payable: last?.payableAfter ?? payable,
    held: last?.heldAfter ?? held,
    owed: last?.owedAfter ?? owed,
  };
}

/** But for the digest, which whoever verifies it makes again. */
function statementOf({ history, uid }: Known, [from, to]: readonly string[], nowMs: number) {
  const time = { fromMs: Date.parse(from ?? ""), toMs: Date.parse(to ?? "") + DAY_MS - 1 };
  const question = { affiliateUid: uid, time, offset: 0, limit: ALL };
  const part = history.answer("statement-part", question);
  const { entries, openingBalances: opening, openingHash, openingOrdinal } = part;
  return {
    ...{ affiliateUid: uid, from, to, complete: (to ?? "") < dayText(nowMs), part: 1, parts: 1 },
    ...{ openingOrdinal, openingHash, opening, entries },
    closingOrdinal: entries.at(-1)?.ordinal ?? openingOrdinal,
    closingHash: entries.at(-1)?.hash ?? openingHash,
    totals: opening.map((coin) => totalOf(coin, entries)),
  };
}

/** Days with entries, or the ones beside, up to the present. */
function someDays(known: Known, random: Random): readonly [from: string, to: string] {
  const days = headsOf(known).map(({ day }) => day);
  const today = dayText(known.nowMs);
  const day = () => {
    const some = days.length === 0 ? today : random.pick(days);
    const besideMs = Date.parse(some) + random.pick([-1, 0, 0, 0, 1]) * DAY_MS;
    return dayText(Math.min(besideMs, known.nowMs));
  };
  const some = [day(), random.chance(0.3) ? (days[0] ?? today) : day()];
  const [from = today, to = today] = some.sort();
  return [from, random.chance(0.3) ? today : to];
}

const hashOf = (content: string) => createHash("sha256").update(content).digest("hex");

/** The file itself, or as the text of an answer of version 2. */
export function someStatement(form: "document" | "file"): Readings[string] {
  return (known, random) => {
    const days = someDays(known, random);
    const format = random.pick(["json", "csv"]);
    const [from, to] = days;
    if (form === "file") {
      const due = async (said: unknown, nowMs: number) => {
        const { format: _, ...statement } = said as Statement & { readonly format: string };
        const written = statementText(statement, "json");
        const verdict = await verifyStatement(written, hashOf, statement.closingHash);
        const digest = verdict.isValid ? statement.digest : verdict.problem;
        return { format: TITLE, ...statementOf(known, days, nowMs), digest };
      };
      return { sent: sentOf({ from, to }), isOfNow: true, due };
    }
    const due = async (said: unknown, nowMs: number) => {
      const { document } = said as { readonly document: string };
      const statement = statementOf(known, days, nowMs);
      const { closingHash, complete, entries, part, parts } = statement;
      const verdict = await verifyStatement(document, hashOf, closingHash);
      const { digest, ...told } = verdict.isValid ? verdict.statement : { digest: "" };
      const isSame = digest !== "" && isDeepStrictEqual(told, statement);
      const wrong = verdict.isValid ? JSON.stringify(statement) : verdict.problem;
      const facts = { format, part, parts, entries: entries.length, complete };
      return { ...facts, document: isSame ? document : wrong };
    };
    return { sent: sentOf({ from, to, format }), isOfNow: true, due };
  };
}
