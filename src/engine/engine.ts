/**
 * The engine: `apply(command)` returns an answer and events; pure, synchronous and deterministic.
 * It has no clock, no randomness and no I/O: the same commands give the same events and the same
 * state on any machine. A rejected command changes nothing; a command changed the state if and only
 * if it emitted an event.
 */
import { accept, invariant, type Result, reject } from "../domain/index.ts";
import {
  ByteWriter,
  type Command,
  type CommandOf,
  type CommandResult,
  type EngineQuery,
  type Event,
  type QueryAnswers,
  type SnapshotSection,
  writeCommandApplied,
  writeEvent,
} from "../protocol/index.ts";
import { moveInsurance, moveUserFunds } from "./accounts/funds.ts";
import { keepOperatorMovements } from "./accounts/movement-memory.ts";
import {
  registerUser,
  revokeApiKey,
  setApiKey,
  setFeeRates,
  updateUser,
} from "./accounts/users.ts";
import { applyAffiliateCommand } from "./affiliate/apply-affiliate-command.ts";
import { decideProposal, propose } from "./approvals/proposals.ts";
import { setApprovalRule } from "./approvals/rules.ts";
import { type BranchAnswer, withBookVersion } from "./book-versions.ts";
import { applyContractCommand } from "./contract/apply-contract-command.ts";
import { secondOf } from "./contract/formulas/price-samples.ts";
import { refreshMark } from "./contract/prices/prices.ts";
import { accountSeconds, sampleAgain } from "./contract/prices/sampling.ts";
import { runRisk } from "./contract/risk/risk-loop.ts";
import { nextDueMs } from "./contract/time/timers.ts";
import { reportCustody } from "./custody/report-custody.ts";
import { setDeadManSwitch } from "./dead-man-switch/set-switch.ts";
import { dropDeposit, reportDeposit, setDepositRules } from "./deposits/deposits.ts";
import type { HashKey } from "./matching/client-order-key.ts";
import { removeOperator, setOperator } from "./operators/set-operator.ts";
import { RULES_VERSION, RULES_WITH_MARKET_INTEGRITY } from "./rules-version.ts";
import { restoreState, type Sha256, snapshotSections, stateHash } from "./snapshot.ts";
import { amendSpotOrder } from "./spot/amend-order.ts";
import { cancelAllSpotOrders, cancelSpotOrder } from "./spot/cancel-order.ts";
import { setAsset, setSpotMarket, setSpotMarketState } from "./spot/markets.ts";
import { placeSpotOrder } from "./spot/place-order.ts";
import {
  executeRecordedOrder,
  placeRecordedOrder,
  reduceRecordedOrder,
} from "./spot/recorded-orders.ts";
import { type Context, State, type TimedContext } from "./state.ts";
import { answerQuery } from "./views/answer.ts";
import { removeWebhook, setWebhook } from "./webhooks/set-webhook.ts";
import { applyWithdrawalCommand } from "./withdrawals/apply-withdrawal-command.ts";

/** Triggers, liquidations and timers that one command handles; `continue-risk` does the rest. */
const STEPS_PER_COMMAND = 1_000;

/** The context of the current command; one object is reused for all commands. */
class CommandContext implements TimedContext {
  readonly state: State;
  nowMs = 0;
  sequence = 0;
  changed = false;
  stepsLeft = 0;
  /** Time of the command itself: while a timer fires, `nowMs` is the time of the timer. */
  #commandMs = 0;
  #events = new ByteWriter();
  #eventsFrom = 0;

  constructor(state: State) {
    this.state = state;
  }

  begin(sequence: number, nowMs: number, events: ByteWriter): void {
    this.nowMs = nowMs;
    this.#commandMs = nowMs;
    this.changed = false;
    this.stepsLeft = STEPS_PER_COMMAND;
    this.sequence = sequence;
    this.#events = events;
    this.#eventsFrom = events.length;
  }

  /** Of the last command, until the caller clears them. */
  lastEvents(): Uint8Array {
    return this.#events.view().subarray(this.#eventsFrom);
  }

  emit(event: Event): void {
    if (!this.changed) {
      this.changed = true;
      writeCommandApplied(this.#events, this.sequence, this.#commandMs);
    }
    writeEvent(this.#events, event);
  }
}

export class Engine {
  #state: State;
  #context: CommandContext;
  readonly #sha256: Sha256;

  private constructor(state: State, sha256: Sha256) {
    this.#state = state;
    this.#context = new CommandContext(state);
    this.#sha256 = sha256;
  }

  /**
   * An engine without any command applied. `hashKey` is random and prevents clients from choosing
   * ids that collide in memory; no result depends on it.
   */
  static create(sha256: Sha256, hashKey: HashKey): Engine {
    return new Engine(new State(hashKey), sha256);
  }

  /** An engine with the state of a snapshot; throws when its sections contradict each other. */
  static restore(
    sections: readonly SnapshotSection[],
    timestampMs: number,
    sha256: Sha256,
    hashKey: HashKey,
    clockMs = timestampMs,
  ): Engine {
    const state = restoreState(sections, timestampMs, hashKey);
    state.clockMs = clockMs;
    return new Engine(state, sha256);
  }

  /** Goes over to the state of another engine, which must not be used any more. */
  adopt(other: Engine): void {
    this.#state = other.#state;
    this.#context = other.#context;
  }

  get rulesVersion(): number {
    return this.#state.rulesVersion;
  }

  /** How far exchange time was advanced in all. */
  get clockOffsetMs(): number {
    return this.#state.clockOffsetMs;
  }

  /** Thousandths of the speed of the wall clock; null while exchange time follows that clock. */
  get clockSpeedE3(): number | null {
    return this.#state.clockSpeedE3;
  }

  /** Exchange time of the last change. */
  get timestampMs(): number {
    return this.#state.timestampMs;
  }

  /** Exchange time behind the last change: later than it, where it moved exchange time. */
  get clockMs(): number {
    return Math.max(this.#state.timestampMs, this.#state.clockMs);
  }

  /**
   * Applies a command at `nowMs` with number `sequence`, and appends its events to `events`. If
   * there are none, nothing changed, and the next command takes the same number.
   */
  apply(command: Command, sequence: number, nowMs: number, events: ByteWriter): CommandResult {
    const state = this.#state;
    invariant(nowMs >= state.timestampMs, "exchange time never goes back");
    const context = this.#context;
    const { contract } = state;
    const goesOn = command.type === "continue-risk";
    invariant(goesOn === contract.unfinishedRisk, "nothing overtakes a cascade that was cut");
    context.begin(sequence, nowMs, events);
    const result = applyCommand(context, command);
    if (context.changed) {
      invariant(result.ok, "a refused command changes nothing");
      runRisk(context);
      state.timestampMs = nowMs;
    }
    return withBookVersion(state, command, result);
  }

  /** When the next timer is due, or infinity; the command `advance-time` fires it. */
  get nextDueMs(): number {
    return nextDueMs(this.#state);
  }

  /** When the next countdown ends, or infinity: at once when a halt that held it is over. */
  get countdownDueMs(): number {
    return this.#state.deadManSwitches.dueMs;
  }

  /** True after a cascade was cut: the next command must be `continue-risk`. */
  get hasUnfinishedRisk(): boolean {
    return this.#state.contract.unfinishedRisk;
  }

  /** Answers a query about the state as of `nowMs`. Reads only. */
  query(query: EngineQuery, nowMs: number): Result<QueryAnswers[keyof QueryAnswers]> {
    return answerQuery(this.#state, query, nowMs, {
      stateHash: () => this.stateHash(),
      lastEvents: () => this.#context.lastEvents(),
    });
  }

  /** The whole state as canonical bytes, in sections; independent of memory layout and history. */
  snapshotSections(): readonly SnapshotSection[] {
    return snapshotSections(this.#state);
  }

  /**
   * SHA-256 over the digests of the sections, without sequence and time of the last command.
   */
  stateHash(): string {
    return stateHash(this.snapshotSections(), this.#sha256);
  }
}

/** One branch per command. */
function applyCommand(context: CommandContext, command: Command): BranchAnswer {
  switch (command.type) {
    case "do-once":
      return doOnce(context, command);
    case "place-spot-order":
      return placeSpotOrder(context, command);
    case "cancel-spot-order":
      return cancelSpotOrder(context, command);
    case "cancel-all-spot-orders":
      return cancelAllSpotOrders(context, command);
    case "amend-spot-order":
      return amendSpotOrder(context, command);
    case "set-dead-man-switch":
      return setDeadManSwitch(context, command);
    case "place-recorded-order":
      return placeRecordedOrder(context, command);
    case "execute-recorded-order":
      return executeRecordedOrder(context, command);
    case "reduce-recorded-order":
      return reduceRecordedOrder(context, command);
    case "adopt-rules":
      return adoptRules(context, command);
    case "advance-clock":
      return advanceClock(context, command);
    case "set-clock":
      return setClock(context, command);
    case "set-asset":
      return setAsset(context, command);
    case "set-spot-market":
      return setSpotMarket(context, command);
    case "set-spot-market-state":
      return setSpotMarketState(context, command);
    case "register-user":
      return registerUser(context, command);
    case "update-user":
      return updateUser(context, command);
    case "set-fee-rates":
      return setFeeRates(context, command);
    case "set-api-key":
      return setApiKey(context, command);
    case "revoke-api-key":
      return revokeApiKey(context, command);
    case "set-operator":
      return setOperator(context, command);
    case "remove-operator":
      return removeOperator(context, command);
    case "set-approval-rule":
      return setApprovalRule(context, command);
    case "propose":
      return propose(context, command);
    case "decide-proposal":
      return decideProposal(context, command, (proposed) => applyCommand(context, proposed));
    case "do-for-reason":
      return doForReason(context, command);
    case "set-webhook":
      return setWebhook(context, command);
    case "remove-webhook":
      return removeWebhook(context, command);
    case "report-custody":
      return reportCustody(context, command);
    case "deposit-funds":
    case "withdraw-funds":
    case "transfer-funds":
    case "transfer-own-funds":
      return moveUserFunds(context, command);
    case "deposit-insurance":
    case "withdraw-insurance":
      return moveInsurance(context, command);
    case "set-affiliate":
    case "set-affiliate-policy":
    case "set-house-account":
    case "release-commission":
    case "reverse-commission":
    case "settle-commissions":
    case "withdraw-internally":
      return applyAffiliateCommand(context, command);
    case "set-withdrawal-rules":
    case "add-withdrawal-address":
    case "remove-withdrawal-address":
    case "request-withdrawal":
    case "set-withdrawal-state":
    case "cancel-withdrawal":
      return applyWithdrawalCommand(context, command);
    case "set-deposit-rules":
      return setDepositRules(context, command);
    case "report-deposit":
      return reportDeposit(context, command);
    case "drop-deposit":
      return dropDeposit(context, command);
    default:
      return applyContractCommand(context, command);
  }
}

/**
 * Keeps the answer as JSON, whatever the command. A command that was rejected or changed nothing is
 * not remembered.
 */
function doOnce(context: CommandContext, command: CommandOf<"do-once">): BranchAnswer {
  const { state, nowMs } = context;
  const { requestId, command: asked } = command;
  const { uid } = asked;
  const doneMs = nowMs - state.clockOffsetMs;
  const answered = state.doneRequests.find(uid, requestId, doneMs);
  if (answered !== null) return accept(JSON.parse(answered));
  const result = applyCommand(context, asked);
  if (result.ok && context.changed) {
    state.doneRequests.add({ uid, requestId, answer: JSON.stringify(result.value), doneMs });
  }
  return result;
}

/** What was rejected or changed nothing needs no reason. */
function doForReason(
  context: CommandContext,
  { command, reason }: CommandOf<"do-for-reason">,
): BranchAnswer {
  const result = applyCommand(context, command);
  if (result.ok && context.changed) context.emit({ type: "reason-given", reason });
  return result;
}

function adoptRules(context: Context, command: CommandOf<"adopt-rules">): Result<null> {
  const { state } = context;
  const { version } = command;
  if (version <= state.rulesVersion) return accept(null);
  if (version > RULES_VERSION) {
    return reject("out-of-range", "version", `this program knows rules up to ${RULES_VERSION}`);
  }
  const { markets } = state.contract;
  // Completes the samples under the older rules; the next second samples under the new ones.
  for (const market of markets) accountSeconds(state, market, secondOf(context.nowMs));
  const before = state.rulesVersion;
  state.rulesVersion = version;
  const isSetApart = version >= RULES_WITH_MARKET_INTEGRITY;
  if (isSetApart && before < RULES_WITH_MARKET_INTEGRITY) keepOperatorMovements(state);
  context.emit({ type: "rules-adopted", version });
  if (version < RULES_WITH_MARKET_INTEGRITY) return accept(null);
  for (const market of markets) {
    sampleAgain(market);
    refreshMark(context, market);
  }
  return accept(null);
}

/** A hundred years: enough for any test, while exchange time remains a safe integer. */
const CLOCK_ADVANCE_MAX_MS = 100 * 366 * 24 * 60 * 60 * 1000;

function advanceClock(context: Context, command: CommandOf<"advance-clock">): Result<null> {
  const { state } = context;
  const offsetMs = state.clockOffsetMs + command.byMs;
  if (command.byMs < 1 || offsetMs > CLOCK_ADVANCE_MAX_MS) {
    return reject("out-of-range", "ms", "more than 0 and at most 100 years in all");
  }
  state.clockOffsetMs = offsetMs;
  state.clockMs = context.nowMs + command.byMs;
  context.emit({ type: "clock-advanced", actor: command.actor, byMs: command.byMs });
  return accept(null);
}

/** Ten thousand times the wall clock. */
const CLOCK_SPEED_MAX_E3 = 10_000_000;

function setClock(context: Context, command: CommandOf<"set-clock">): Result<null> {
  const { state, nowMs } = context;
  const { actor } = command;
  const timeMs = command.toMs ?? nowMs;
  const byMs = timeMs - nowMs;
  if (byMs < 0) return reject("out-of-range", "setMs", `at least ${nowMs}, exchange time now`);
  const offsetMs = state.clockOffsetMs + byMs;
  if (offsetMs > CLOCK_ADVANCE_MAX_MS) {
    return reject("out-of-range", "setMs", "at most 100 years in all");
  }
  const speedE3 = command.speedE3 ?? state.clockSpeedE3;
  if (speedE3 !== null && speedE3 > CLOCK_SPEED_MAX_E3) {
    return reject("out-of-range", "speed", "at most 10,000");
  }
  if (byMs === 0 && speedE3 === state.clockSpeedE3) return accept(null);
  state.clockOffsetMs = offsetMs;
  state.clockMs = timeMs;
  state.clockSpeedE3 = speedE3;
  context.emit({ type: "clock-set", actor, timeMs, speedE3: speedE3 ?? 1_000 });
  return accept(null);
}
