/**
 * Checks a deployment from outside, whether its exchange is running or not, and reports the state
 * of each part with the next step. It is read-only: it creates, repairs and moves nothing.
 */

import { presentFolder } from "../states/branch-file.ts";
import { type Check, type Outcome, ok } from "./check.ts";
import { checkExchange, checkOperation, type Probe } from "./exchange-check.ts";
import {
  checkBackup,
  checkDisk,
  checkFolder,
  checkLock,
  checkMasterKey,
  checkOperatorToken,
  checkVenue,
} from "./folder-checks.ts";
import {
  checkClock,
  checkHistory,
  checkJournal,
  checkSnapshots,
  lookAtJournal,
} from "./journal-checks.ts";
import { checkNode, checkPort, type ListenAddress } from "./machine-checks.ts";

export interface DiagnosisOptions {
  readonly dataFolder: string;
  /** The values of RIALTO_MASTER_KEY_FILE and RIALTO_OPERATOR_TOKEN. */
  readonly masterKeyFile: string | null;
  readonly operatorToken: string | null;
  /** How old the last backup may be; null where nobody asked. */
  readonly backupWithinMs?: number | null;
  /** Where a start would listen. */
  readonly addresses: readonly ListenAddress[];
  readonly operatorUrl: string;
  /** Queries the operator API of a running exchange. */
  readonly probe: () => Promise<Probe>;
}

export interface Diagnosis {
  /** The worst outcome of all checks. */
  readonly outcome: Outcome;
  readonly checks: readonly Check[];
}

const OUTCOMES: readonly Outcome[] = ["ok", "warn", "fail"];

export async function diagnose(options: DiagnosisOptions): Promise<Diagnosis> {
  const { dataFolder, operatorUrl } = options;
  const folder = checkFolder(dataFolder);
  const lock = folder.isOpen ? checkLock(dataFolder) : null;
  const isHeld = lock?.isHeld ?? false;
  const checks = [checkNode(), folder.check];
  if (lock !== null) checks.push(lock.check, ...(await checkContent(options, isHeld)));
  for (const address of options.addresses) checks.push(await checkPort(address, isHeld));
  const probe = await options.probe();
  checks.push(checkExchange(probe, operatorUrl, isHeld), ...checkOperation(probe));
  const worst = Math.max(...checks.map(({ outcome }) => OUTCOMES.indexOf(outcome)));
  return { outcome: OUTCOMES[worst] ?? "ok", checks };
}

async function checkContent(options: DiagnosisOptions, isHeld: boolean): Promise<Check[]> {
  const { dataFolder, masterKeyFile, operatorToken } = options;
  const present = await presentFolder(dataFolder);
  const journal = await lookAtJournal(present);
  const venue = checkVenue(dataFolder);
  return [
    await checkDisk(dataFolder),
    venue.check,
    checkMasterKey(dataFolder, masterKeyFile, present),
    checkOperatorToken(dataFolder, operatorToken),
    checkJournal(journal, isHeld),
    checkClock(journal, venue.isSandbox),
    await checkSnapshots(present, journal),
    isHeld
      ? ok("history", "in use; the exchange tells how far it is")
      : checkHistory(present, journal),
    checkBackup(dataFolder, options.backupWithinMs ?? null, journal?.lastSequence ?? null),
  ];
}
