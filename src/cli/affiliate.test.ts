/**
 * Proves `rialto affiliate verify`: statements in both formats, and several in a row, are valid; a
 * changed line is reported with its number, and so is a file that does not continue where the
 * previous one ended. The command reports both in words or JSON, with different exit codes.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import test, { after } from "node:test";
import { PROGRAM } from "../../test/support/program.ts";
import {
  entryLine,
  genesisText,
  linkText,
  type StatementCover,
  type StatementEntry,
  type StatementFacts,
  type StatementFormat,
  StatementWriter,
} from "../affiliate-statement/index.ts";
import { checkStatements, type StatementProblem } from "./check-statements.ts";
import { continuationProblem, type StatementFrame } from "./statement-continuation.ts";

const AFFILIATE = 3001;
const DAY_MS = 86_400_000;
const FIRST_DAY_MS = Date.parse("2026-07-01");

const folder = mkdtempSync(join(tmpdir(), "rialto-statements-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const NOTHING: Omit<StatementFacts, "ordinal" | "timeMs" | "kind" | "id" | "asset"> = {
  aboutId: 0,
  product: "",
  symbol: "",
  traderUid: 0,
  role: "",
  tradeId: 0,
  viaUid: 0,
  notional: "0",
  fee: "0",
  rate: "0",
  rateVersion: 0,
  viaRateVersion: 0,
  capped: "0",
  amount: "0",
  flags: [],
  isHeld: false,
  fromPayable: "0",
  fromSpot: "0",
  newlyOwed: "0",
  recovered: "0",
  paid: "0",
  payableAfter: "0",
  heldAfter: "0",
  owedAfter: "0",
};

/** Each day earns twice 0.5 USDT, settled at the end of the day. */
function chainOf(days: number): readonly StatementEntry[] {
  const entries: StatementEntry[] = [];
  let hash = sha256(genesisText(AFFILIATE));
  const append = (facts: Partial<StatementFacts> & Pick<StatementFacts, "timeMs" | "kind">) => {
    const ordinal = entries.length + 1;
    const entry = { ...NOTHING, id: ordinal, asset: "USDT", ...facts, ordinal };
    hash = sha256(linkText(hash, entryLine(entry)));
    entries.push({ ...entry, hash });
  };
  for (let day = 0; day < days; day++) {
    const timeMs = FIRST_DAY_MS + day * DAY_MS;
    for (const payableAfter of ["0.5", "1"]) {
      append({
        timeMs,
        kind: "commission",
        product: "spot",
        symbol: "BTCUSDT",
        traderUid: 1001,
        role: "taker",
        tradeId: entries.length + 1,
        notional: "1000",
        fee: "1",
        rate: "0.5",
        rateVersion: 1,
        amount: "0.5",
        payableAfter,
      });
    }
    append({ timeMs: timeMs + 1, kind: "settlement", amount: "1", paid: "1" });
  }
  return entries;
}

const CHAIN = chainOf(4);
const HEAD = CHAIN.at(-1)?.hash as string;

/** The statement of some of the days, counted from 0; its last day is not over yet. */
function statement(fromDay: number, toDay: number, format: StatementFormat): string {
  const dayText = (day: number) =>
    new Date(FIRST_DAY_MS + day * DAY_MS).toISOString().slice(0, "YYYY-MM-DD".length);
  const before = CHAIN[fromDay * 3 - 1];
  const cover: StatementCover = {
    affiliateUid: AFFILIATE,
    from: dayText(fromDay),
    to: dayText(toDay),
    complete: toDay < 3,
    part: 1,
    parts: 1,
    openingOrdinal: before?.ordinal ?? 0,
    openingHash: before?.hash ?? sha256(genesisText(AFFILIATE)),
    opening: [{ asset: "USDT", scale: 8, payable: "0", held: "0", owed: "0" }],
  };
  const writer = new StatementWriter(cover, format);
  const body = writer.entries(CHAIN.slice(fromDay * 3, (toDay + 1) * 3));
  return writer.open() + body + writer.close(sha256);
}

/** Files are those in this test's folder. */
function check(files: readonly string[], head?: string) {
  return checkStatements(
    files.map((name) => join(folder, name)),
    head,
  );
}

async function problemOf(files: readonly string[], head?: string): Promise<StatementProblem> {
  const verdict = await check(files, head);
  assert.ok("problem" in verdict, `${files} were found correct`);
  return { ...verdict, file: basename(verdict.file) };
}

/** Runs the command as a separate process. */
function run(...args: readonly string[]) {
  const flags = [PROGRAM, "affiliate", "verify", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, flags, {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function file(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text);
  return name;
}

test("a statement of either form is found correct, with its head or without", async () => {
  for (const format of ["csv", "json"] as const) {
    const name = file(`whole.${format}`, statement(0, 3, format));
    for (const head of [undefined, HEAD]) {
      const verdict = await check([name], head);
      assert.ok("checked" in verdict);
      const [only] = verdict.checked;
      assert.equal(only?.statement.closingHash, HEAD);
      assert.equal(only?.statement.totals[0]?.paid, "4");
    }
    const { problem } = await problemOf([name], "0".repeat(64));
    assert.match(problem, /published is 0000/);
  }
});

test("statements that follow each other are checked as one, in whatever form", async () => {
  const first = file("first.csv", statement(0, 1, "csv"));
  const second = file("second.json", statement(2, 2, "json"));
  const third = file("third.csv", statement(3, 3, "csv"));
  const all = await check([first, second, third], HEAD);
  assert.ok("checked" in all && all.checked.length === 3);
  assert.deepEqual(await problemOf([first, third]), {
    file: third,
    line: 8,
    problem: "openingOrdinal: entries 7 to 9 are missing",
  });
  for (const files of [
    [second, first],
    [first, first],
  ]) {
    const { file, line, problem } = await problemOf(files);
    assert.deepEqual([file, line], [first, 3]);
    assert.match(problem, /^from: neither the next part/);
  }
});

test("parts of one statement follow each other, and balances are carried over", async () => {
  const verdict = await check([file("days.csv", statement(0, 1, "csv"))]);
  assert.ok("checked" in verdict);
  const whole = verdict.checked[0]?.statement as StatementFrame;
  const { closingOrdinal: openingOrdinal, closingHash: openingHash } = whole;
  const part = { ...whole, parts: 3 };
  const next = { ...part, part: 2, openingOrdinal, openingHash };
  assert.equal(continuationProblem(part, next), null);
  const coin = { asset: "BTC", scale: 8, payable: "0", held: "0", owed: "0" };
  assert.equal(continuationProblem(part, { ...next, opening: [...next.opening, coin] }), null);
  const later = { ...next, part: 1, from: "2026-07-03", to: "2026-07-03" };
  for (const [changed, problem] of [
    [{ ...next, part: 3 }, /^from: neither the next part/],
    [{ ...next, parts: 4 }, /^from: neither the next part/],
    [later, /^from: neither the next part/],
    [{ ...next, affiliateUid: 7 }, /^affiliateUid: /],
    [{ ...next, openingOrdinal: 5 }, /^openingOrdinal: begins before/],
    [{ ...next, openingHash: HEAD }, /^openingHash: /],
    [{ ...next, opening: [{ ...coin, owed: "1" }] }, /^opening of BTC: owed is 1, .* with 0$/],
  ] as const) {
    assert.match(String(continuationProblem(part, changed)), problem);
  }
});

test("what does not fit is named with its line", async () => {
  const csv = statement(0, 3, "csv");
  const json = statement(0, 3, "json");
  const lineOf = (text: string, part: string) =>
    text.slice(0, text.indexOf(part)).split("\n").length;
  const cases = [
    // Another trader in the fifth entry, so that its hash no longer matches.
    [csv, csv.split("\n")[14] as string, "1001", "1002"],
    [json, `"ordinal": 5,`, `"traderUid": 1001`, `"traderUid": 1002`],
    [csv, "# total: asset=USDT", "earned=4", "earned=5"],
    [json, `"totals": [`, `"earned": "4"`, `"earned": "5"`],
    [csv, "# closingOrdinal: ", "closingOrdinal: 12", "closingOrdinal: 11"],
    [json, `"closingOrdinal": `, `"closingOrdinal": 12`, `"closingOrdinal": 11`],
    [csv, "# part: 1", "# part: 1", "# part: 01"],
  ] as const;
  for (const [text, place, from, to] of cases) {
    const at = text.indexOf(place);
    const changed = text.slice(0, at) + text.slice(at).replace(from, to);
    const { line } = await problemOf([file("changed", changed)]);
    // The asset of a total is two lines below the beginning of their list.
    const expected = lineOf(text, place) + (place.includes("totals") ? 2 : 0);
    assert.equal(line, expected, `${place} ${to}`);
  }
});

test("what is no statement is told so", async () => {
  for (const [name, content, message] of [
    ["empty", "", /no affiliate statement/],
    ["other.json", "{}", /no affiliate statement/],
    ["latin", Buffer.from([0x23, 0xe9, 0x0a]), /not UTF-8/],
    ["marked", `\ufeff${statement(0, 0, "json")}`, /no affiliate statement/],
  ] as const) {
    const { line, problem } = await problemOf([file(name, content)]);
    assert.equal(line, null, name);
    assert.match(problem, message);
  }
});

test("as a process: words, JSON, and the exit code", () => {
  const good = file("good.csv", statement(0, 3, "csv"));
  const bad = file("bad.csv", statement(0, 3, "csv").replace(",1001,", ",1002,"));
  const plain = run(good);
  assert.deepEqual([plain.status, plain.stderr], [0, ""]);
  const [first, second, third, last] = plain.stdout.split("\n");
  const days = "2026-07-01 to 2026-07-04 (not over yet)";
  assert.equal(first, `good.csv: affiliate 3001, ${days}: 12 entries, all correct`);
  assert.equal(second, "  USDT: earned 4, paid 4; now payable 0, held 0, owed 0");
  assert.equal(third, `closing hash ${HEAD}`);
  assert.match(last as string, /published for 2026-07-04, or pass that hash with --head/);
  const published = run(good, "--json", "--head", HEAD.toUpperCase());
  assert.equal(published.status, 0);
  assert.partialDeepStrictEqual(JSON.parse(published.stdout), {
    valid: true,
    statements: [{ file: good, affiliateUid: AFFILIATE, entries: 12, closingHash: HEAD }],
  });
  const changed = run(bad);
  assert.deepEqual([changed.status, changed.stdout], [1, ""]);
  assert.match(changed.stderr, /^bad\.csv:12: entry 1: the hash does not follow/);
  const missing = run("nowhere.csv");
  assert.equal(missing.status, 1);
  assert.match(missing.stderr, /There is no file nowhere\.csv/);
});
