/**
 * Proves that the suites of the cluster notice the mistakes that would lose what was acknowledged:
 * each is planted into the program, one at a time, and the suite that guards against it must fail;
 * without a mistake it must pass. Each costs a run over three nodes of PostgreSQL, so
 * `npm run test:long` runs it.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import type { Plant } from "../support/planted-text.ts";
import { folderForPostgres, postgresMissing } from "../support/postgres-programs.ts";
import { ROOT } from "../support/root.ts";
import { runTest } from "../support/test-process.ts";

/** A suite that waits for ever has noticed: it takes so much longer than without a mistake. */
const SLOWER = 4;
const PATIENCE_MS = 60_000;
const HOUR_S = 3600;
const JOURNAL = "test/cluster/quorum-journal.test.ts";
const COPY = "test/cluster/quorum-log.test.ts";
const MEMBERS = "test/cluster/generations.test.ts";

interface Mistake {
  readonly name: string;
  /** Of `src/journal/quorum`. */
  readonly file: string;
  readonly original: string;
  readonly replacement: string;
  readonly suite: string;
}

const MISTAKES: readonly Mistake[] = [
  {
    name: "an append does not look at the row before it",
    file: "log-table.ts",
    original: "AND epoch = $2::int4 AND chain_hash = $6::bytea",
    replacement: "AND (true OR epoch = $2::int4 AND chain_hash = $6::bytea)",
    suite: JOURNAL,
  },
  {
    name: "whoever takes the lead keeps the epoch",
    file: "log-table.ts",
    original: "SELECT ordinal + 1, epoch + 1, last_sequence",
    replacement: "SELECT ordinal + 1, epoch, last_sequence",
    suite: JOURNAL,
  },
  {
    name: "the lead is taken without a barrier",
    file: "quorum-journal.ts",
    original:
      "const [row] = (await session.query<table.LogRow>(table.barrier(end), patienceMs)).rows;",
    replacement: "const row: table.LogRow | undefined = end; void patienceMs;",
    suite: JOURNAL,
  },
  {
    name: "a warning is a success",
    file: "connection.ts",
    original: "if (this.#warning !== null) throw new WarnedStatement(this.#warning);",
    replacement: "",
    suite: JOURNAL,
  },
  {
    name: "a row that is found is durable",
    file: "quorum-journal.ts",
    original: "await this.#session.query(table.CONFIRM, timeoutMs);",
    replacement: "",
    suite: JOURNAL,
  },
  {
    name: "a follower applies before it is durable",
    file: "quorum-log.ts",
    original: "await session.query(CONFIRM, patienceMs);\n  await fill(",
    replacement: "await fill(",
    suite: COPY,
  },
  {
    name: "names of an older generation count",
    file: "primary.ts",
    original: "if (old !== null) return { sentence: old, isLasting: true };",
    replacement: "",
    suite: MEMBERS,
  },
  {
    name: "names have no generation",
    file: "membership/member-names.ts",
    original: "_g$",
    replacement: "_x$",
    suite: MEMBERS,
  },
  {
    name: "the primary confirms itself",
    file: "log-table.ts",
    original: "WHERE ordinal = $1 AND pg_is_in_recovery()",
    replacement: "WHERE ordinal = $1",
    suite: MEMBERS,
  },
  {
    name: "what nobody confirms is answered",
    file: "confirmation.ts",
    original: "return this.#ordinal >= 0 && this.lagMs <= CONFIRMED_WITHIN_MS;",
    replacement: "return true;",
    suite: MEMBERS,
  },
];

function mutantOf({ file: name, original, replacement }: Mistake): Plant {
  const file = `src/journal/quorum/${name}`;
  const source = readFileSync(join(ROOT, file), "utf8");
  const start = source.indexOf(original);
  assert.ok(
    start >= 0 && !source.includes(original, start + 1),
    `${name} has it once: ${original}`,
  );
  return { file, start, end: start + original.length, original, replacement };
}

interface Run {
  readonly outcome: "passes" | "fails" | "waits";
  readonly ms: number;
}

/** To its first failure. What it leaves behind when it is ended is in a folder of this process. */
async function run(suite: string, mutant: Plant | null, wallMs: number): Promise<Run> {
  const { RIALTO_TEST_POSTGRES } = process.env;
  const startedMs = performance.now();
  const { passed } = await runTest(suite, {
    mutant,
    scale: 1,
    bound: { cpuSeconds: HOUR_S, wallMs },
    env: {
      TMPDIR: folderForPostgres(),
      ...(RIALTO_TEST_POSTGRES !== undefined && { RIALTO_TEST_POSTGRES }),
    },
  });
  const ms = performance.now() - startedMs;
  return { outcome: passed ? "passes" : ms < wallMs ? "fails" : "waits", ms };
}

const usualMs = new Map<string, number>();

for (const suite of [JOURNAL, COPY, MEMBERS]) {
  test(`${suite} passes`, { skip: postgresMissing() }, async (t) => {
    const { outcome, ms } = await run(suite, null, 1000 * HOUR_S);
    assert.equal(outcome, "passes");
    usualMs.set(suite, ms);
    t.diagnostic(`${suite} passes in ${seconds(ms)}`);
  });
}

for (const mistake of MISTAKES) {
  test(`it is noticed that ${mistake.name}`, { skip: postgresMissing() }, async (t) => {
    const usual = usualMs.get(mistake.suite);
    assert.ok(usual !== undefined, "it passes without a mistake");
    const bound = PATIENCE_MS + SLOWER * usual;
    const { outcome, ms } = await run(mistake.suite, mutantOf(mistake), bound);
    assert.notEqual(outcome, "passes", `${mistake.suite} passes`);
    t.diagnostic(`${mistake.name}: ${mistake.suite} ${outcome}, ${seconds(ms)}`);
  });
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
