/**
 * Proves that a statement cannot be changed: of a small one with every kind of entry each byte is
 * replaced in both forms, and each fact is changed by somebody who computes all hashes anew. Also
 * that the two forms say the same, and that pieces make the whole.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { exact, sum } from "../../test/support/exact.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import {
  entryLine,
  genesisText,
  linkText,
  parseStatement,
  STATEMENT_FORMATS,
  type Statement,
  type StatementCover,
  type StatementEntry,
  type StatementFormat,
  StatementWriter,
  statementText,
  verifyStatement,
} from "./index.ts";

const random = seededRandom("affiliate statements");
const DAY_START_MS = Date.UTC(2026, 4, 17);
const UID = 1_001;

const NOTHING: Omit<StatementEntry, "ordinal" | "timeMs" | "kind" | "asset" | "hash"> = {
  id: 0,
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

const FILL = {
  kind: "commission",
  asset: "USDT",
  product: "contract",
  symbol: "BTCUSDT",
  traderUid: 2_002,
  role: "taker",
  tradeId: 5,
  notional: "1137.619",
  fee: "0.682571",
  rate: "0.1",
  rateVersion: 1,
} as const;
const TAKEN_BACK = {
  kind: "reversal",
  asset: "USDT",
  product: "contract",
  symbol: "BTCUSDT",
  traderUid: 2_002,
} as const;

/** Fee × rate is 0.0682571, which a coin of 6 decimals rounds down to 0.068257. */
const STORY: readonly (Partial<StatementEntry> & Pick<StatementEntry, "kind" | "asset">)[] = [
  { ...FILL, id: 3, amount: "0.068257", payableAfter: "0.068257" },
  {
    ...FILL,
    ...{ id: 4, tradeId: 6, viaUid: 9, viaRateVersion: 2, role: "maker", rate: "0.05" },
    ...{ capped: "0.004128", amount: "0.03", payableAfter: "0.068257", heldAfter: "0.03" },
    ...{ flags: ["self-referral", "wash-trade"], isHeld: true },
  },
  {
    ...FILL,
    ...{ id: 8, asset: "BTC", product: "spot", tradeId: 1, notional: "100", fee: "0.00000009" },
    ...{ rate: "0.5", amount: "0.00000004", payableAfter: "0.00000004" },
  },
  { kind: "release", asset: "USDT", aboutId: 4, amount: "0.03", payableAfter: "0.098257" },
  {
    ...{ kind: "settlement", asset: "USDT", id: 1, amount: "0.098257", paid: "0.098257" },
  },
  {
    ...TAKEN_BACK,
    ...{ id: 9, aboutId: 3, amount: "0.068257", fromSpot: "0.06", newlyOwed: "0.008257" },
    owedAfter: "0.008257",
  },
  {
    ...FILL,
    id: 10,
    tradeId: 7,
    amount: "0.068257",
    payableAfter: "0.068257",
    owedAfter: "0.008257",
  },
  {
    ...{ kind: "settlement", asset: "USDT", id: 2, amount: "0.068257" },
    ...{ recovered: "0.008257", paid: "0.06" },
  },
  {
    ...{ ...FILL, id: 11, tradeId: 8, amount: "0.068257", heldAfter: "0.068257" },
    ...{ flags: ["wash-trade"], isHeld: true },
  },
  {
    ...{ ...TAKEN_BACK, id: 12, aboutId: 11, isHeld: true },
    ...{ amount: "0.068257", fromPayable: "0.068257" },
  },
  {
    ...{ ...FILL, id: 13, tradeId: 9, amount: "0.068257", heldAfter: "0.068257" },
    ...{ flags: ["wash-trade"], isHeld: true },
  },
  {
    ...{ kind: "release", asset: "USDT", aboutId: 13 },
    ...{ amount: "0.068257", payableAfter: "0.068257" },
  },
  // It is not held any more.
  {
    ...{ ...TAKEN_BACK, id: 14, aboutId: 13 },
    ...{ amount: "0.068257", fromPayable: "0.068257" },
  },
];

const COVER: Omit<StatementCover, "openingHash"> = {
  affiliateUid: UID,
  from: "2026-05-17",
  to: "2026-05-18",
  complete: true,
  part: 1,
  parts: 1,
  openingOrdinal: 0,
  opening: ["BTC", "USDT"].map((asset) => ({
    ...{ asset, scale: asset === "BTC" ? 8 : 6 },
    ...{ payable: "0", held: "0", owed: "0" },
  })),
};

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Hashes whatever the entries say. */
function chained(entries: readonly Omit<StatementEntry, "hash">[]): StatementEntry[] {
  let hash = sha256(genesisText(UID));
  return entries.map((entry) => {
    hash = sha256(linkText(hash, entryLine(entry)));
    return { ...entry, hash };
  });
}

function story(): StatementEntry[] {
  return chained(
    STORY.map((told, index) => ({
      ...NOTHING,
      ordinal: index + 1,
      timeMs: DAY_START_MS + index * 10_000_000,
      ...told,
    })),
  );
}

/** In pieces of random size. */
function written(format: StatementFormat, entries = story(), cover = {}): string {
  const openingHash = sha256(genesisText(UID));
  const writer = new StatementWriter({ ...COVER, openingHash, ...cover }, format);
  let text = writer.open();
  for (let at = 0; at < entries.length; ) {
    const size = random.integer(0, 3);
    text += writer.entries(entries.slice(at, at + size));
    at += size;
  }
  return text + writer.close(sha256);
}

function parsed(text: string): Statement {
  const result = parseStatement(text);
  assert.ok(result !== null);
  return result.statement;
}

for (const format of STATEMENT_FORMATS) {
  test(`${format}: a true statement passes, and only with the published hash`, async () => {
    const text = written(format);
    const head = story().at(-1)?.hash ?? "";
    for (const published of [undefined, head]) {
      const verdict = await verifyStatement(text, sha256, published);
      assert.deepEqual(verdict, { isValid: true, statement: parsed(text) });
    }
    const asynchronous = async (content: string) => sha256(content);
    assert.equal((await verifyStatement(text, asynchronous, head)).isValid, true);
    const verdict = await verifyStatement(text, sha256, sha256("another"));
    assert.match(verdict.isValid ? "" : verdict.problem, /published/);
    assert.equal((await verifyStatement(written(format, []), sha256)).isValid, true);
  });

  test(`${format}: no byte can be changed, added or left out`, async () => {
    const bytes = Buffer.from(written(format));
    const refused = async (changed: Buffer, at: number) => {
      const { isValid } = await verifyStatement(changed.toString(), sha256);
      assert.equal(isValid, false, `byte ${at} may not change`);
    };
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (bytes[at] as number) ^ random.integer(1, 255);
      await refused(changed, at);
    }
    for (let i = 0; i < scaled(300); i++) {
      const at = random.integer(0, bytes.length);
      const added = Buffer.from([random.pick([32, 48, 10, 44, 35])]);
      await refused(Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]), at);
      if (at === bytes.length) continue;
      await refused(Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]), at);
    }
  });

  test(`${format}: what is no statement is refused`, async () => {
    for (const text of ["", "{", "{}", "null", "[]", "#", "# \n\n", '{"format":1}', "\u0000"]) {
      assert.equal((await verifyStatement(text, sha256)).isValid, false, JSON.stringify(text));
    }
    const json = JSON.parse(written("json"));
    for (const name of Object.keys(json)) {
      for (const value of [null, -1, 1.5, "x", [null], [{}], {}]) {
        const text = `${JSON.stringify({ ...json, [name]: value }, null, 2)}\n`;
        assert.equal((await verifyStatement(text, sha256)).isValid, false, `${name}: ${value}`);
      }
    }
  });
}

test("both forms say the same, and JSON is as the platform writes it", () => {
  const json = written("json");
  const csv = written("csv");
  assert.deepEqual(parsed(json), parsed(csv));
  assert.equal(statementText(parsed(json), "csv"), csv);
  assert.equal(statementText(parsed(csv), "json"), json);
  for (const text of [json, written("json", [])]) {
    assert.equal(text, `${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  }
});

/** Each is a lie about one thing, told by somebody who computes every hash and total anew. */
const LIES: readonly (readonly [at: number, change: Partial<StatementEntry>, problem: RegExp])[] = [
  [0, { fee: "0.7" }, /fee × rate/],
  [0, { rate: "0.11" }, /fee × rate/],
  [0, { amount: "0.068258", payableAfter: "0.068258" }, /fee × rate/],
  [0, { amount: "0.0682571" }, /finer/],
  [0, { tradeId: 0 }, /names no trade/],
  [0, { viaUid: 7 }, /subtracted/],
  [0, { newlyOwed: "1" }, /not for an entry/],
  [0, { isHeld: true }, /flagged/],
  [0, { timeMs: DAY_START_MS - 1 }, /earlier/],
  [1, { flags: [] }, /flagged/],
  [1, { flags: ["wash-trade", "wash-trade"] }, /twice/],
  [1, { id: 3 }, /not above/],
  [2, { asset: "ETH" }, /coin ETH/],
  [3, { aboutId: 3 }, /another amount/],
  [3, { aboutId: 7 }, /no commission 7/],
  [3, { amount: "0.02" }, /another amount/],
  [3, { payableAfter: "0.098256" }, /payableAfter/],
  [4, { amount: "0.09", paid: "0.09" }, /had accrued/],
  [4, { paid: "0.09" }, /recovered \+ paid/],
  [5, { newlyOwed: "0.008" }, /is not amount/],
  [5, { fromPayable: "0.008257", newlyOwed: "0" }, /taken first/],
  [5, { traderUid: 2_003 }, /another trader/],
  [5, { isHeld: true }, /held is told wrongly/],
  [5, { owedAfter: "0" }, /owedAfter/],
  [7, { recovered: "0", paid: "0.068257" }, /kept first/],
  [7, { id: 1 }, /not above/],
  [8, { heldAfter: "0" }, /heldAfter/],
  [9, { aboutId: 3, isHeld: false }, /reversed before/],
  [9, { isHeld: false }, /held is told wrongly/],
  [12, { isHeld: true }, /held is told wrongly/],
  [9, { timeMs: DAY_START_MS + 2 * 86_400_000 }, /later/],
];

test("a statement that is hashed anew is still checked entry by entry", async () => {
  for (const [at, change, problem] of LIES) {
    const told = story().map((entry, index) => (index === at ? { ...entry, ...change } : entry));
    const verdict = await verifyStatement(forged(chained(told)), sha256);
    const found = verdict.isValid ? "nothing is wrong" : verdict.problem;
    assert.match(found, problem, `${at}: ${JSON.stringify(change)}`);
  }
});

test("a rate may be all of the fee, and no more", async () => {
  for (const [rate, problem] of [
    ["1", /^nothing is wrong$/],
    ["1.00000001", /rate is no fraction/],
  ] as const) {
    const { fee } = FILL;
    const [first] = story() as [StatementEntry];
    const entries = chained([{ ...first, rate, amount: fee, payableAfter: fee }]);
    const verdict = await verifyStatement(written("csv", entries), sha256);
    assert.match(verdict.isValid ? "nothing is wrong" : verdict.problem, problem, rate);
  }
});

test("the last millisecond of the last day belongs to the statement", async () => {
  const endMs = DAY_START_MS + 2 * 86_400_000;
  for (const [timeMs, isValid] of [
    [endMs - 1, true],
    [endMs, false],
  ] as const) {
    const entries = story().map((entry, i, all) =>
      i === all.length - 1 ? { ...entry, timeMs } : entry,
    );
    const verdict = await verifyStatement(written("csv", chained(entries)), sha256);
    assert.equal(verdict.isValid, isValid, JSON.stringify(verdict).slice(0, 200));
  }
});

/** From the name of a total to the entries and the field that it sums up. */
const SUMMED: Readonly<Record<string, readonly [StatementEntry["kind"], keyof StatementEntry]>> = {
  earned: ["commission", "amount"],
  capped: ["commission", "capped"],
  released: ["release", "amount"],
  reversed: ["reversal", "amount"],
  fromPayable: ["reversal", "fromPayable"],
  fromSpot: ["reversal", "fromSpot"],
  newlyOwed: ["reversal", "newlyOwed"],
  accrued: ["settlement", "amount"],
  recovered: ["settlement", "recovered"],
  paid: ["settlement", "paid"],
};

test("totals are the sums of the entries, coin by coin", () => {
  const entries = story();
  const { totals } = parsed(written("csv"));
  assert.equal(totals.length, COVER.opening.length);
  for (const total of totals) {
    const ofCoin = entries.filter(({ asset }) => asset === total.asset);
    assert.equal(total.entries, ofCoin.length);
    for (const [name, [kind, field]] of Object.entries(SUMMED)) {
      const summed = ofCoin.filter((entry) => entry.kind === kind);
      const units = sum(summed.map((entry) => exact(String(entry[field]))));
      assert.equal(exact(total[name as "earned"]), units, `${total.asset} ${name}`);
    }
  }
});

test("entries cannot be left out, moved or repeated, whatever the hashes", async () => {
  const entries = story();
  for (let at = 0; at < entries.length; at++) {
    const without = entries.filter((_, index) => index !== at);
    const moved = [...without, entries[at] as StatementEntry];
    for (const changed of [without, moved, [...entries, entries[at] as StatementEntry]]) {
      const isSame = changed.every((entry, index) => entry === entries[index]);
      if (isSame && changed.length <= entries.length) continue;
      const verdict = await verifyStatement(forged(changed), sha256);
      assert.equal(verdict.isValid, false, `entry ${at + 1}`);
    }
  }
});

/** What a part that begins behind the first `at` entries is opened with. */
function openingOf(entries: readonly StatementEntry[], at: number) {
  const before = entries.slice(0, at);
  const opening = COVER.opening.map((coin) => {
    const last = before.findLast(({ asset }) => asset === coin.asset);
    if (last === undefined) return coin;
    const { payableAfter: payable, heldAfter: held, owedAfter: owed } = last;
    return { ...coin, payable, held, owed };
  });
  return { openingOrdinal: at, openingHash: before.at(-1)?.hash ?? "", opening };
}

test("a part is checked by itself, from the balances before it", async () => {
  const entries = story();
  for (let at = 1; at < entries.length; at++) {
    const cover = openingOf(entries, at);
    const text = written("csv", entries.slice(at), cover);
    assert.deepEqual((await verifyStatement(text, sha256)).isValid, true, `from ${at + 1} on`);
    const [coin, ...others] = cover.opening;
    const lie = { ...cover, opening: [{ ...coin, owed: "0.00000001" }, ...others] };
    const forgery = written("csv", entries.slice(at), lie);
    const isBtcLater = entries.slice(at).some(({ asset }) => asset === "BTC");
    assert.equal((await verifyStatement(forgery, sha256)).isValid, !isBtcLater);
  }
});

test("a part may be about commissions before its first one, not about any it lacks", async () => {
  for (const [aboutId, problem] of [
    [3, /^nothing is wrong$/],
    [5, /no commission 5/],
  ] as const) {
    const told = story().map((entry, i) => (i === 3 ? { ...entry, aboutId } : entry));
    const entries = chained(told);
    const text = written("csv", entries.slice(1), openingOf(entries, 1));
    const verdict = await verifyStatement(text, sha256);
    assert.match(verdict.isValid ? "nothing is wrong" : verdict.problem, problem);
  }
});

/** The text that somebody would write who wants these entries to pass. */
function forged(entries: readonly StatementEntry[]): string {
  const statement = parsed(written("csv"));
  const closingHash = entries.at(-1)?.hash ?? "";
  const closingOrdinal = entries.length;
  return statementText({ ...statement, entries, closingHash, closingOrdinal }, "csv");
}
