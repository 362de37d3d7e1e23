/**
 * Proves that the suites of the cluster notice the mistakes that would lose what was acknowledged:
 * each is planted into the program, one at a time, and the suite that guards against it must fail;
 * without a mistake it must pass. Each costs a run over three nodes of PostgreSQL, so
 * `npm run test:long` runs it.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { postgresMissing } from "../support/postgres-programs.ts";
import { ROOT } from "../support/root.ts";

/** Puts a mistake into the module that has it, in each process of a suite. */
const PLANT = pathToFileURL(join(ROOT, "test/support/plant.ts")).href;
/** A suite that waits for ever has noticed; before the run takes this one for dead. */
const SUITE_MS = 600_000;
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

function mutantOf({ file: name, original, replacement }: Mistake) {
  const file = `src/journal/quorum/${name}`;
  const source = readFileSync(join(ROOT, file), "utf8");
  const start = source.indexOf(original);
  assert.ok(
    start >= 0 && !source.includes(original, start + 1),
    `${name} has it once: ${original}`,
  );
  return { file, start, end: start + original.length, original, replacement };
}

async function passes(suite: string, mutant: ReturnType<typeof mutantOf> | null): Promise<boolean> {
  const env: NodeJS.ProcessEnv = { ...process.env, NODE_OPTIONS: `--import=${PLANT}` };
  delete env.NODE_TEST_CONTEXT;
  const child = spawn(process.execPath, [join(ROOT, suite)], {
    cwd: ROOT,
    stdio: "ignore",
    timeout: SUITE_MS,
    env: mutant === null ? env : { ...env, RIALTO_MUTANT: JSON.stringify(mutant) },
  });
  const [code] = await once(child, "exit");
  return code === 0;
}

for (const suite of [JOURNAL, COPY, MEMBERS]) {
  test(`${suite} passes`, { skip: postgresMissing() }, async () => {
    assert.ok(await passes(suite, null));
  });
}

for (const mistake of MISTAKES) {
  test(`it is noticed that ${mistake.name}`, { skip: postgresMissing() }, async () => {
    assert.ok(!(await passes(mistake.suite, mutantOf(mistake))), `${mistake.suite} passes`);
  });
}
