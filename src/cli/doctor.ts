/** `rialto doctor`: checks a deployment and suggests fixes. */
import type { Command } from "commander";
import type { Check, Outcome } from "../app/diagnosis/check.ts";
import type { Probe } from "../app/diagnosis/exchange-check.ts";
import { addCommand, parseDuration, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { withOperator } from "./operator.ts";
import {
  addOperatorOptions,
  findToken,
  type OperatorFlags,
  operatorUrl,
} from "./operator-options.ts";
import { findRunning, urlOf } from "./running-exchange.ts";
import { type AddressFlags, addressOptions } from "./start.ts";

interface DoctorFlags extends OperatorFlags, AddressFlags {
  readonly backupWithin?: number;
}

const EXIT_UNWELL = 1;

const MARKS: Readonly<Record<Outcome, string>> = { ok: "ok  ", warn: "WARN", fail: "FAIL" };

export function addDoctorCommand(program: Command): void {
  const doctor = addCommand(program, "doctor", {
    description:
      "check a deployment, running or not, and suggest fixes; exits with 1 if a check fails",
    examples: [
      "rialto doctor",
      "rialto doctor --data-dir /var/lib/rialto --json",
      "rialto doctor --data-dir /var/lib/rialto --backup-within 10m",
    ],
  }).option(
    "--backup-within <duration>",
    "fail when the last `rialto backup` is older, such as 10m",
    parseDuration,
  );
  for (const option of addressOptions()) doctor.addOption(option);
  addOperatorOptions(doctor).action(examine);
}

async function examine(flags: DoctorFlags): Promise<void> {
  const { diagnose } = await import("../app/diagnosis/diagnose.ts");
  const { host, port, operatorHost, operatorPort, dataDir } = flags;
  const running = findRunning(dataDir);
  const found = running?.isStale === false ? running.operatorUrl : null;
  const url = flags.operatorUrl || found || urlOf(operatorHost, operatorPort);
  const diagnosis = await diagnose({
    dataFolder: dataDir,
    masterKeyFile: process.env.RIALTO_MASTER_KEY_FILE ?? null,
    operatorToken: process.env.RIALTO_OPERATOR_TOKEN ?? null,
    addresses: [
      { host, port, flag: "--port" },
      { host: operatorHost, port: operatorPort, flag: "--operator-port" },
    ],
    backupWithinMs: flags.backupWithin ?? null,
    operatorUrl: url,
    probe: () => probe({ ...flags, operatorUrl: url }),
  });
  if (diagnosis.outcome === "fail") process.exitCode = EXIT_UNWELL;
  print(flags, diagnosis, diagnosis.checks.map(checkText).join("\n"));
}

function checkText({ name, outcome, finding, next }: Check): string {
  const line = `${MARKS[outcome]}  ${name}: ${finding}`;
  return next === null ? line : `${line}\n      → ${next}`;
}

/** The part of the process status that `doctor` checks. */
interface ProcessStatus {
  readonly journal: { readonly nearlyFull: boolean };
  readonly history: { readonly lag: number };
}

async function probe(flags: OperatorFlags): Promise<Probe> {
  try {
    const found = await withOperator(flags, async (operator) => ({
      ...(await operator.getStatus()),
      violations: (await operator.getInvariants()).violations,
      custody: await operator.getCustodyBalances(),
      webhooks: (await operator.listWebhooks()).items,
      metrics: await metricsOf(flags),
    }));
    const { custody, metrics, process, sequence, violations, webhooks } = found;
    const { journal, history } = process as unknown as ProcessStatus;
    const { nearlyFull } = journal;
    const health = { sequence, violations, historyLag: history.lag, nearlyFull };
    const missing = custody.items.filter(({ shortage }) => shortage !== null && shortage !== "0");
    const shortages = missing.map(({ asset, shortage }) => `${shortage} ${asset}`);
    const failing = webhooks.filter((each) => each.failures > 0 || !each.hasSecret);
    return {
      kind: "answered",
      ...health,
      shortages: custody.reported === null ? null : shortages,
      failingWebhooks: failing.map(({ webhookId, lastError, hasSecret }) => {
        return `${webhookId}: ${hasSecret ? lastError : "it has no secret"}`;
      }),
      metrics,
    };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    // A folder that was just restored has no token yet, and nobody who would take one.
    const isNew = error.code === "no-token" && findRunning(flags.dataDir) === null;
    const kind = isNew || error.code === "unreachable" ? "nobody" : "refused";
    return { kind, message: error.message };
  }
}

/** Not a call of the API: Prometheus scrapes it. */
async function metricsOf(flags: OperatorFlags): Promise<string> {
  const url = new URL("/metrics", operatorUrl(flags));
  const authorization = `Bearer ${findToken(flags).token}`;
  const response = await fetch(url, { headers: { authorization } });
  return await response.text();
}
