/**
 * `npm run bench`: every benchmark, each in its own process, as a table, then what they say of the
 * targets; and as JSON in `bench/results/`. `npm run bench -- engine http` runs only those, and
 * `RIALTO_BENCH_SCALE=0.1 npm run bench` does a tenth of the work. A missed target is printed and
 * does not fail the run, because machines differ.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { type BenchRow, formatTable, formatTargets } from "./report.ts";
import { SCALE } from "./scale.ts";

const BENCHES = [
  "engine",
  "contracts",
  "book",
  "http",
  "gateways",
  "sockets",
  "large-order",
  "recovery",
  "journal",
  "projections",
  "affiliate",
  "streams",
  "console",
  "sandbox",
  "replay",
  "webhooks",
  "cluster",
] as const;
/** Runs only when it is named, because it writes a picture of the documents. */
const PLOT = "plot";
const NAMES = [...BENCHES, PLOT] as const;
type BenchName = (typeof NAMES)[number];

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
    case "gateways":
      return (await import("./gateways.ts")).runGatewayBench();
    case "sockets":
      return (await import("./sockets.ts")).runSocketBench();
    case "large-order":
      return (await import("./large-order.ts")).runLargeOrderBench();
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
    case "sandbox":
      return (await import("./sandbox.ts")).runSandboxBench();
    case "replay":
      return (await import("./replay.ts")).runReplayBench();
    case "webhooks":
      return (await import("./webhooks.ts")).runWebhookBench();
    case "cluster":
      return (await import("./cluster.ts")).runClusterBench();
    case PLOT:
      return (await import("./curves.ts")).runCurveBench();
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
  process.stdout.write(`\ntargets\n${formatTargets(Object.values(results).flat())}\n`);
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem() };
  const document = { node: process.version, machine, scale: SCALE, results };
  const folder = join(import.meta.dirname, "results");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${new Date().toISOString().replaceAll(":", "-")}.json`);
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  process.stdout.write(`\nJSON: ${path}\n`);
}

const asked = process.env[CHILD] as BenchName | undefined;
if (asked !== undefined) {
  process.stdout.write(`\n${JSON.stringify(await runOne(asked))}\n`);
} else {
  const given = process.argv.slice(2);
  const unknown = given.find((name) => !(NAMES as readonly string[]).includes(name));
  if (unknown === undefined) runAll(given.length > 0 ? (given as BenchName[]) : BENCHES);
  else {
    process.stderr.write(`No benchmark ${unknown}; there are ${NAMES.join(", ")}.\n`);
    process.exitCode = 2;
  }
}
