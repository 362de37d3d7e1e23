/** Assembles the commands, one file each, and finds the command that a command line names. */
import type { Command } from "commander";
import { addAffiliateCommands } from "./affiliate.ts";
import { addApprovalCommands } from "./approvals.ts";
import { addAssetCommands } from "./assets.ts";
import { addAuditCommands } from "./audit.ts";
import { addBackupCommands } from "./backup.ts";
import { addClockCommands } from "./clock.ts";
import { addClusterCommands } from "./cluster.ts";
import { addCompletionCommand } from "./completion.ts";
import { addDepositCommands } from "./deposits.ts";
import { addDoctorCommand } from "./doctor.ts";
import { emptyProgram } from "./empty-program.ts";
import { addJournalCommands } from "./journal.ts";
import { addKeyCommands } from "./keys.ts";
import { addMarketCommands } from "./markets.ts";
import { addOperatorCommands } from "./operators.ts";
import { addPriceCommands } from "./prices.ts";
import { addProjectionCommands } from "./projections.ts";
import { addReplayCommand } from "./replay.ts";
import { addSandboxCommands } from "./sandbox.ts";
import { addStartCommand } from "./start.ts";
import { addStatusCommands } from "./status.ts";
import { addUserCommands } from "./users.ts";
import { addWithdrawalCommands } from "./withdrawals.ts";

const HELP = "help";
const ABOUT_THE_PROGRAM: readonly string[] = ["-h", "--help", "-V", "--version"];

/** With `json`, the caller reports command line errors. */
export function createProgram(json: boolean): Command {
  const program = emptyProgram(json);
  addStartCommand(program);
  addStatusCommands(program);
  addAuditCommands(program);
  addDoctorCommand(program);
  addBackupCommands(program);
  addClusterCommands(program);
  addUserCommands(program);
  addWithdrawalCommands(program);
  addDepositCommands(program);
  addKeyCommands(program);
  addApprovalCommands(program);
  addOperatorCommands(program);
  addAssetCommands(program);
  addMarketCommands(program);
  addPriceCommands(program);
  addClockCommands(program);
  addJournalCommands(program);
  addProjectionCommands(program);
  addAffiliateCommands(program);
  addSandboxCommands(program);
  addReplayCommand(program);
  addCompletionCommand(program);
  return program;
}

/**
 * `rialto` alone, or with flags only, starts an exchange. `npm start -- users list` arrives as
 * `start users list` and means `users list`. `help users list` is `users list --help`.
 */
export function namedCommand(program: Command, given: readonly string[]): readonly string[] {
  const isCommand = (name: string | undefined): boolean =>
    name === HELP || program.commands.some((command) => command.name() === name);
  const [first, second] = given;
  if (first === "start" && isCommand(second)) return namedCommand(program, given.slice(1));
  if (first === HELP && (second === undefined || isCommand(second))) {
    return [...given.slice(1), "--help"];
  }
  if (first === HELP) return given.slice(1);
  if (first === undefined) return ["start"];
  const isFlag = first.startsWith("-") && !ABOUT_THE_PROGRAM.includes(first);
  return isFlag ? ["start", ...given] : given;
}
