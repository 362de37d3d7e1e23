/**
 * `npm run bench`: every benchmark, each in its own process, as a table and as JSON in
 * `bench/results/`. `npm run bench -- engine http` runs only those.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { type BenchRow, formatTable } from "./report.ts";

const BENCHES = [
  "engine",
  "contracts",
  "book",
  "http",
  "large-fill",
  "recovery",
  "journal",
  "projections",
  "affiliate",
  "streams",
  "console",
] as const;
type BenchName = (typeof BENCHES)[number];

/** This variable names the benchmark for a child, which prints its rows as the last line. */
const CHILD = "RIALTO_BENCH";

async function runOne(name: BenchName): Promise<readonly BenchRow[]> {
  switch (name) {
    case "engine":
      return (await import("./engine.ts")).runEngineBench();
    case "contracts":
      return (await import("./contracts.ts")).runContractBench();
    case "book":
      return (await import("./book.ts")).runBookBench();
    case "http":
      return (await import("./http.ts")).runHttpBench();
    case "large-fill":
      return (await import("./large-fill.ts")).runLargeFillBench();
    case "recovery":
      return (await import("./recovery.ts")).runRecoveryBench();
    case "journal":
      return (await import("./journal.ts")).runJournalBench();
    case "projections":
      return (await import("./projections.ts")).runProjectionBench();
    case "affiliate":
      return (await import("./affiliate.ts")).runAffiliateBench();
    case "streams":
      return (await import("./streams.ts")).runStreamBench();
    case "console":
      return (await import("./console.ts")).runConsoleBench();
  }
}

function runInChild(name: BenchName): readonly BenchRow[] {
  process.stderr.write(`running ${name} …\n`);
  const child = spawnSync(process.execPath, ["--expose-gc", import.meta.filename], {
    env: { ...process.env, [CHILD]: name },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (child.status !== 0) throw new Error(`the benchmark ${name} failed`);
  return JSON.parse(child.stdout.trimEnd().split("\n").at(-1) as string) as BenchRow[];
}

function runAll(names: readonly BenchName[]): void {
  const results: Record<string, readonly BenchRow[]> = {};
  for (const name of names) {
    results[name] = runInChild(name);
    process.stdout.write(`\n${name}\n${formatTable(results[name])}\n`);
  }
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem() };
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${new Date().toISOString().replaceAll(":", "-")}.json`);
  writeFileSync(path, `${JSON.stringify({ node: process.version, machine, results }, null, 2)}\n`);
  process.stdout.write(`\nJSON: ${path}\n`);
}

const asked = process.env[CHILD] as BenchName | undefined;
if (asked !== undefined) {
  process.stdout.write(`\n${JSON.stringify(await runOne(asked))}\n`);
} else {
  const given = process.argv.slice(2);
  const unknown = given.find((name) => !(BENCHES as readonly string[]).includes(name));
  if (unknown === undefined) runAll(given.length > 0 ? (given as BenchName[]) : BENCHES);
  else {
    process.stderr.write(`No benchmark ${unknown}; there are ${BENCHES.join(", ")}.\n`);
    process.exitCode = 2;
  }
}
