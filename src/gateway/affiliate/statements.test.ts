/**
 * Proves that a statement that was asked for in pieces is one file that the public check accepts,
 * in both forms and both versions, that parts end where they should, which days may be asked for,
 * and that only so many files are made at once. The store is an honest chain in memory.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { AFFILIATE_ENGINE } from "../../../test/support/affiliate-fixture.ts";
import {
  answerOf,
  CALLER_UID,
  callEndpoint,
  type EndpointInput,
  refusalOf,
} from "../../../test/support/endpoint-call.ts";
import { DOUBLE_TIME_MS, ExchangeDouble } from "../../../test/support/exchange-double.ts";
import { createGatewayDouble, DOUBLE_CREDENTIALS } from "../../../test/support/gateway-double.ts";
import { signedHeaders } from "../../../test/support/signed-client.ts";
import {
  entryLine,
  genesisText,
  linkText,
  STATEMENT_PART_ENTRIES_MAX,
  type StatementEntry,
  verifyStatement,
} from "../../affiliate-statement/index.ts";
import { formatDecimal } from "../../domain/index.ts";
import type { HistoryQuestion, StatementPart } from "../../queries/history-port.ts";
import { v2Statement, v2StatementHeads, v3Statement, v3StatementHeads } from "./statements.ts";

const TODAY = "2025-10-09";
const YESTERDAY = "2025-10-08";
const ENTRIES = 612;

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** So many commissions of a hundredth of a fee of 0.0001, all of yesterday. */
function chainOf(length: number): StatementEntry[] {
  const entries: StatementEntry[] = [];
  let hash = sha256(genesisText(CALLER_UID));
  for (let ordinal = 1; ordinal <= length; ordinal++) {
    const facts = {
      ordinal,
      timeMs: Date.parse(`${YESTERDAY}T00:00:00Z`) + ordinal,
      kind: "commission",
      id: ordinal,
      aboutId: 0,
      product: "spot",
      symbol: "BTCUSDT",
      traderUid: 31,
      role: "maker",
      tradeId: ordinal,
      viaUid: 0,
      asset: "USDT",
      notional: "1",
      fee: "0.0001",
      rate: "0.01",
      rateVersion: 1,
      viaRateVersion: 0,
      capped: "0",
      amount: "0.000001",
      flags: [],
      isHeld: false,
      fromPayable: "0",
      fromSpot: "0",
      newlyOwed: "0",
      recovered: "0",
      paid: "0",
      payableAfter: formatDecimal(BigInt(ordinal), 6),
      heldAfter: "0",
      owedAfter: "0",
    } as const;
    hash = sha256(linkText(hash, entryLine(facts)));
    entries.push({ ...facts, hash });
  }
  return entries;
}

/** A store that holds the chain, or says that it holds `total` entries. */
function fixture(chain: readonly StatementEntry[], total = chain.length): ExchangeDouble {
  const part = ({ offset, limit }: HistoryQuestion<"statement-part">): StatementPart => ({
    entries: chain.slice(offset, offset + limit),
    openingOrdinal: offset,
    openingHash: chain[offset - 1]?.hash ?? sha256(genesisText(CALLER_UID)),
    openingBalances: [
      { asset: "USDT", scale: 6, payable: formatDecimal(BigInt(offset), 6), held: "0", owed: "0" },
    ],
    total,
  });
  return new ExchangeDouble(AFFILIATE_ENGINE, {
    "statement-part": part,
    "statement-heads": ({ fromDay, limit }) => [
      { affiliateUid: CALLER_UID, day: fromDay, ordinal: limit, hash: "ab".repeat(32) },
    ],
  });
}

const DAYS = { from: YESTERDAY, to: YESTERDAY } as const;

/** The file as v3 answers it, byte for byte. */
async function fileOf(
  query: Readonly<Record<string, string>>,
  exchange: ExchangeDouble,
): Promise<string> {
  const outcome = await callEndpoint(v3Statement, { query }, exchange);
  assert.ok(outcome.ok, JSON.stringify(outcome));
  return String(v3Statement.stringify(outcome.value as never));
}

const chain = chainOf(ENTRIES);

test("both forms, asked for in pieces, pass the check and end in the chain's head", async () => {
  for (const format of ["json", "csv"]) {
    const exchange = fixture(chain);
    const text = await fileOf({ ...DAYS, format }, exchange);
    assert.ok(exchange.asked.length > 1, "it was asked for at once");
    const verdict = await verifyStatement(text, sha256, chain.at(-1)?.hash);
    assert.ok(verdict.isValid, JSON.stringify(verdict));
    assert.deepEqual(verdict.statement.entries, chain);
    assert.equal(verdict.statement.complete, true);
    const v2 = await answerOf(v2Statement, { query: { ...DAYS, format } }, fixture(chain));
    const facts = { format, part: 1, parts: 1, entries: ENTRIES, complete: true };
    assert.deepEqual(v2, { ...facts, document: text });
  }
  assert.equal(
    await fileOf({ ...DAYS }, fixture(chain)),
    await fileOf({ ...DAYS, format: "json" }, fixture(chain)),
  );
});

test("a stretch without entries is a statement too", async () => {
  for (const format of ["json", "csv"]) {
    const text = await fileOf({ ...DAYS, format }, fixture([]));
    const verdict = await verifyStatement(text, sha256);
    assert.ok(verdict.isValid, JSON.stringify(verdict));
    assert.equal(verdict.statement.parts, 1);
  }
});

test("entries that were added meanwhile are not in the file", async () => {
  const text = await fileOf({ ...DAYS, format: "csv" }, fixture(chain, 400));
  const verdict = await verifyStatement(text, sha256, chain[399]?.hash);
  assert.ok(verdict.isValid, JSON.stringify(verdict));
});

test("the second part begins where the first ends, and there is no third", async () => {
  const long = chainOf(STATEMENT_PART_ENTRIES_MAX + 3);
  const text = await fileOf({ ...DAYS, format: "csv", part: "2" }, fixture(long));
  const verdict = await verifyStatement(text, sha256, long.at(-1)?.hash);
  assert.ok(verdict.isValid, JSON.stringify(verdict));
  const { openingOrdinal, entries, part, parts } = verdict.statement;
  assert.deepEqual([openingOrdinal, entries.length, part, parts], [50_000, 3, 2, 2]);
  const beyond: EndpointInput = { query: { ...DAYS, part: "3" } };
  const found = await refusalOf(v2Statement, beyond, fixture(long));
  assert.deepEqual(found, ["parameter-out-of-range", "part"]);
});

test("today may be the last day and leaves the statement open; later are refused", async () => {
  const verdict = await verifyStatement(
    await fileOf({ from: YESTERDAY, to: TODAY }, fixture(chain)),
    sha256,
  );
  assert.ok(verdict.isValid && !verdict.statement.complete);
  const wrong: readonly (readonly [query: object, reason: string, field: string])[] = [
    [{ to: "2025-10-10" }, "parameter-out-of-range", "to"],
    [{ from: TODAY }, "start-after-end", "from"],
    [{ from: "2025-02-29" }, "invalid-parameter", "from"],
    [{ to: "2025-02-31" }, "invalid-parameter", "to"],
    [{ from: "2025-13-01" }, "invalid-parameter", "from"],
    [{ from: "20251008" }, "invalid-parameter", "from"],
    [{ from: "" }, "missing-parameter", "from"],
    [{ format: "xml" }, "invalid-parameter", "format"],
    [{ format: "JSON" }, "invalid-parameter", "format"],
    [{ part: "0" }, "parameter-out-of-range", "part"],
    [{ part: "2" }, "parameter-out-of-range", "part"],
  ];
  for (const endpoint of [v2Statement, v3Statement]) {
    for (const [change, reason, field] of wrong) {
      const query = { ...DAYS, ...change };
      const found = await refusalOf(endpoint, { query }, fixture(chain));
      assert.deepEqual(found, [reason, field], JSON.stringify(query));
    }
  }
});

test("two files at once, the third is told to come back", async () => {
  const begin = () => callEndpoint(v3Statement, { query: { ...DAYS } }, fixture(chain));
  const outcomes = await Promise.all(Array.from({ length: 3 }, begin));
  const made = outcomes.filter(({ ok }) => ok);
  assert.equal(made.length, 2);
  assert.deepEqual(outcomes[2], { ok: false, unavailable: "overloaded" });
  assert.ok((await begin()).ok, "and then there is room again");
});

test("through the gateway: v3 is the file with its media type, v2 wraps it", async () => {
  const gateway = createGatewayDouble(fixture(chain), CALLER_UID, ["affiliate"]);
  const get = async (url: string) => {
    const headers = signedHeaders(DOUBLE_CREDENTIALS, { method: "GET", path: url });
    return gateway.inject({ method: "GET", url, headers });
  };
  const query = `statement?from=${YESTERDAY}&to=${YESTERDAY}`;
  for (const [format, media] of [
    ["json", "application/json; charset=utf-8"],
    ["csv", "text/csv; charset=utf-8"],
  ]) {
    const v3 = await get(`/api/v3/rebate/affiliate/${query}&format=${format}`);
    assert.equal(v3.headers["content-type"], media);
    const verdict = await verifyStatement(v3.body, sha256);
    assert.ok(verdict.isValid, JSON.stringify(verdict));
    const v2 = (await get(`/api/v2/rebate/affiliate/${query}&format=${format}`)).json();
    assert.deepEqual([v2.code, v2.timestamp], ["200", DOUBLE_TIME_MS]);
    assert.equal(v2.data.document, v3.body);
  }
  await gateway.close();
});

test("statementHeads: from the first day, or from one that is named", async () => {
  const head = (date: string, ordinal: number) => [
    { date, ordinal, hash: "ab".repeat(32), complete: date < TODAY },
  ];
  for (const endpoint of [v2StatementHeads, v3StatementHeads]) {
    const all = await answerOf(endpoint, {}, fixture(chain));
    assert.deepEqual(all, head("1970-01-01", 100));
    const query = { from: YESTERDAY, limit: "7" };
    assert.deepEqual(await answerOf(endpoint, { query }, fixture(chain)), head(YESTERDAY, 7));
    const today = await answerOf(endpoint, { query: { from: TODAY } }, fixture(chain));
    assert.deepEqual(today, head(TODAY, 100));
    const noDay = await refusalOf(endpoint, { query: { from: "2025-02-30" } }, fixture(chain));
    assert.deepEqual(noDay, ["invalid-parameter", "from"]);
    const long = await refusalOf(endpoint, { query: { limit: "367" } }, fixture(chain));
    assert.deepEqual(long, ["parameter-out-of-range", "limit"]);
  }
});
