/**
 * What the engine of the running exchange has refused, or accepted without a change, which no
 * journal tells: the story asks the naive exchange for each of them, in the state and at the time
 * in which it was said.
 */
import { Sequencer } from "../../src/app/sequencer.ts";
import { Engine } from "../../src/engine/index.ts";
import type { Command } from "../../src/protocol/index.ts";
import { isAffiliateCommand } from "../support/affiliate/naive-affiliate-commands.ts";

export interface UnjournaledCommand {
  /** Of the last command before it. */
  readonly sequence: number;
  readonly command: Command;
  readonly nowMs: number;
  readonly said:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly reason: string };
}

interface Hearer {
  unjournaled: UnjournaledCommand[];
  /** Orders that the engine has refused, plain and conditional, by `<uid> <own id>`. */
  readonly refusedByEngine: Set<string>;
  /** Whether a start has gone on only when its timers ran already. */
  hasResumedLate: boolean;
}

let hearer: (() => Hearer) | null = null;
/** The highest command that an engine was given. */
let latest = 0;
/** The sequencer of this life, and the latest command when its timers began. */
let sequencer: Sequencer | null = null;
let timersSince = Number.POSITIVE_INFINITY;

/**
 * A life begins: whatever leaves no trace in this process from now on, since only a running
 * exchange has an engine that says so. What was done before it may be lost, and with it that.
 */
export function hearUnjournaled(by: () => Hearer): void {
  hearer = by;
  by().unjournaled = [];
}

/** The exchange has ended, and whatever else runs in this process is none of its business. */
export function hearNothing(): void {
  hearer = null;
  latest = 0;
}

const apply = Engine.prototype.apply;
Engine.prototype.apply = function (command, sequence, nowMs, events) {
  const before = events.length;
  const said = apply.call(this, command, sequence, nowMs, events);
  latest = Math.max(latest, sequence);
  const isLate = command.type === "resume" && sequence > timersSince;
  if (isLate && hearer !== null) hearer().hasResumedLate = true;
  if (events.length > before || hearer === null) return said;
  const { refusedByEngine, unjournaled } = hearer();
  unjournaled.push({ sequence: sequence - 1, command, nowMs, said });
  if (said.ok) return said;
  const order = judgedCommand(command);
  if (order !== null && "clientOrderId" in order) {
    refusedByEngine.add(`${order.uid} ${order.clientOrderId}`);
  } else if (order?.type === "place-algo-order") {
    refusedByEngine.add(`${order.uid} ${order.clientAlgoId}`);
  }
  return said;
};

const { startTimers, submit } = Sequencer.prototype;
Sequencer.prototype.startTimers = function (time) {
  sequencer = this;
  timersSince = latest;
  startTimers.call(this, time);
};
Sequencer.prototype.submit = function (bytes, answered) {
  if (sequencer !== this) {
    sequencer = this;
    timersSince = Number.POSITIVE_INFINITY;
  }
  submit.call(this, bytes, answered);
};

/** Those of affiliates aside, commands of which the naive exchange knows every reason to refuse. */
const JUDGED: ReadonlySet<Command["type"]> = new Set([
  "place-spot-order",
  "amend-spot-order",
  "cancel-spot-order",
  "cancel-all-spot-orders",
  "place-contract-order",
  "amend-contract-order",
  "cancel-contract-order",
  "cancel-all-contract-orders",
  "close-positions",
  "place-algo-order",
  "modify-algo-order",
  "cancel-algo-order",
  "cancel-all-algo-orders",
  "set-leverage",
  "set-margin-type",
  "move-position-margin",
  "set-auto-append-margin",
  "set-dead-man-switch",
  "transfer-own-funds",
  "deposit-funds",
  "withdraw-funds",
  "transfer-funds",
  "deposit-insurance",
  "withdraw-insurance",
  "set-api-key",
  "revoke-api-key",
  "set-operator",
  "remove-operator",
  "report-custody",
  "update-user",
  "set-fee-rates",
  "set-spot-market",
  "set-spot-market-state",
  "set-contract-market",
  "set-contract-market-state",
  "set-index-price",
  "pin-mark-price",
  "set-funding-rate",
  "set-withdrawal-rules",
  "add-withdrawal-address",
  "remove-withdrawal-address",
  "request-withdrawal",
  "set-withdrawal-state",
  "cancel-withdrawal",
  "set-deposit-rules",
  "report-deposit",
  "drop-deposit",
  "set-approval-rule",
  "propose",
  "decide-proposal",
  "set-webhook",
  "remove-webhook",
] satisfies Command["type"][]);

/** The command itself, whatever it was wrapped in; null for one that nobody judges. */
export function judgedCommand(command: Command): Command | null {
  if (command.type === "do-once" || command.type === "do-for-reason") {
    return judgedCommand(command.command);
  }
  return JUDGED.has(command.type) || isAffiliateCommand(command) ? command : null;
}
