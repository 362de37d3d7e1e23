/**
 * What the passing of time alone does: prices are sampled at whole seconds and premiums at full
 * minutes, funding is settled at its slots, commissions at full hours, and countdowns end at their
 * exact millisecond. A timer is due only while its sample could differ from the last one; the
 * seconds and minutes between are filled in afterwards, so a quiet market costs one command per
 * funding slot. Timers fire by time, then seconds before minutes before slots before commissions
 * before countdowns, then by market; the events of each carry its own time.
 *
 * The samplers record how far a market is accounted for. Between commands that is up to the time of
 * the last one, because whatever was due by then has fired.
 */
import { accept, invariant, type Result } from "../../../domain/index.ts";
import type { CommandOf } from "../../../protocol/index.ts";
import { settleAll } from "../../affiliate/settlement.ts";
import { fireSwitch } from "../../dead-man-switch/fire-switch.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../../rules-version.ts";
import type { State, TimedContext } from "../../state.ts";
import { SECOND_MS, secondOf } from "../formulas/price-samples.ts";
import { settleSlot, slotOf } from "../prices/funding.ts";
import {
  accountMinutes,
  forgetPremiums,
  isMinuteDue,
  MINUTE_MS,
  minuteOf,
  samplePremium,
} from "../prices/premium.ts";
import { refreshMark } from "../prices/prices.ts";
import {
  accountSeconds,
  isSecondDue,
  missesSeconds,
  restartSampling,
  riskWaitMs,
  sampleSecond,
} from "../prices/sampling.ts";
import { runRisk } from "../risk/risk-loop.ts";
import type { ContractMarket } from "../state/contract-market.ts";

/** Of every market, in the order in which timers of one time fire. */
const KINDS = ["second", "minute", "slot"] as const;
type TimerKind = (typeof KINDS)[number];

interface MarketTimer {
  readonly atMs: number;
  readonly kind: TimerKind;
  readonly market: ContractMarket;
}

/** Of no market: pays commissions or cancels orders, after the market timers of its time. */
interface ExchangeTimer<Kind> {
  readonly atMs: number;
  readonly market?: never;
  readonly kind: Kind;
}

type Timer = MarketTimer | ExchangeTimer<"settlement"> | ExchangeTimer<"dead-man-switch">;

/** A slot that was missed by more is skipped when the exchange starts again. */
const MISSED_SLOT_MAX_MS = 10 * 60_000;

/** When the next timer is due; infinite without markets, commissions and countdowns. */
export function nextDueMs(state: State): number {
  let atMs = Math.min(state.affiliates.settlementDueMs, state.deadManSwitches.dueMs);
  // In the middle of timers that were cut, only the samplers know how far each market is.
  const sinceMs = state.contract.timersToMs === 0 ? state.timestampMs : 0;
  for (const market of state.contract.markets) {
    for (const kind of KINDS) atMs = Math.min(atMs, dueMs(state, market, kind, sinceMs));
  }
  return atMs;
}

/** When a market's timer is due, if everything up to `sinceMs` at least is accounted for. */
function dueMs(state: State, market: ContractMarket, kind: TimerKind, sinceMs: number): number {
  const { funding, sampler } = market;
  switch (kind) {
    case "second":
      return isSecondDue(state, market)
        ? Math.max(sampler.sampledMs, secondOf(sinceMs)) + SECOND_MS
        : riskWaitMs(market);
    case "minute":
      return isMinuteDue(market)
        ? Math.max(funding.premiumAtMs, minuteOf(sinceMs)) + MINUTE_MS
        : Number.POSITIVE_INFINITY;
    case "slot":
      return funding.nextSlotMs;
  }
}

/** Exchange time has reached `toMs`: everything that is due by then happens, in order. */
export function advanceTime(
  context: TimedContext,
  command: CommandOf<"advance-time">,
): Result<null> {
  const { state } = context;
  const { toMs } = command;
  invariant(toMs === context.nowMs, "time is advanced to the time of the command");
  if (nextDueMs(state) > toMs) return accept(null);
  for (const market of state.contract.markets) accountUpTo(state, market, state.timestampMs);
  fireUpTo(context, toMs, 0);
  context.nowMs = toMs;
  return accept(null);
}

/** Continues where the previous command was cut: its cascade, then the timers after it. */
export function continueRisk(context: TimedContext): Result<null> {
  const { contract } = context.state;
  invariant(contract.unfinishedRisk, "there is something to go on with");
  const commandMs = context.nowMs;
  const { timersToMs } = contract;
  if (timersToMs !== 0) context.nowMs = lastFiredMs(context.state);
  const announcedMs = context.nowMs;
  context.emit({ type: "timer-fired", timestampMs: announcedMs });
  runRisk(context);
  if (timersToMs !== 0 && !contract.unfinishedRisk) fireUpTo(context, timersToMs, announcedMs);
  context.nowMs = commandMs;
  return accept(null);
}

/** Fires what is due by `toMs`, or as much as one command may. */
function fireUpTo(context: TimedContext, toMs: number, announcedMs: number): void {
  const { contract } = context.state;
  let lastMs = announcedMs;
  contract.timersToMs = 0;
  for (;;) {
    // A cut cascade belongs to the time of its timer, even after the last one.
    if (contract.unfinishedRisk) break;
    const timer = nextTimer(context.state, toMs);
    if (timer === null) {
      context.state.deadManSwitches.firedAtMs = 0;
      return;
    }
    if (context.stepsLeft <= 0) break;
    accountBefore(context.state, timer);
    context.nowMs = timer.atMs;
    if (timer.atMs !== lastMs) context.emit({ type: "timer-fired", timestampMs: timer.atMs });
    lastMs = timer.atMs;
    fire(context, timer);
    context.stepsLeft--;
    runRisk(context);
  }
  contract.unfinishedRisk = true;
  contract.timersToMs = toMs;
}

function nextTimer(state: State, toMs: number): Timer | null {
  let next: Timer | null = null;
  for (const kind of KINDS) {
    for (const market of state.contract.markets) {
      const atMs = dueMs(state, market, kind, 0);
      if (atMs <= toMs && (next === null || atMs < next.atMs)) next = { atMs, kind, market };
    }
  }
  const exchangeTimers = [
    { atMs: state.affiliates.settlementDueMs, kind: "settlement" },
    { atMs: state.deadManSwitches.dueMs, kind: "dead-man-switch" },
  ] as const;
  for (const timer of exchangeTimers) {
    if (timer.atMs <= toMs && (next === null || timer.atMs < next.atMs)) next = timer;
  }
  return next;
}

function fire(context: TimedContext, timer: Timer): void {
  const { atMs, kind } = timer;
  if (kind === "settlement") settleAll(context);
  else if (kind === "dead-man-switch") fireNextSwitch(context);
  else if (kind === "second") sampleSecond(context, timer.market, atMs);
  else if (kind === "minute") samplePremium(context, timer.market, atMs);
  else settleSlot(context, timer.market);
}

function fireNextSwitch(context: TimedContext): void {
  const { next } = context.state.deadManSwitches;
  if (next !== null) fireSwitch(context, next);
}

/** Fills in what comes before a timer: it can no longer change. */
function accountBefore(state: State, timer: Timer): void {
  const { atMs, kind } = timer;
  for (const market of state.contract.markets) {
    const isEarlier = timer.market !== undefined && market.index < timer.market.index;
    const secondIsOver = kind !== "second" || isEarlier;
    const minuteIsOver = kind !== "second" && (kind !== "minute" || isEarlier);
    accountSeconds(state, market, secondOf(secondIsOver ? atMs : atMs - 1));
    accountMinutes(market, minuteOf(minuteIsOver ? atMs : atMs - 1));
  }
}

function accountUpTo(state: State, market: ContractMarket, timestampMs: number): void {
  accountSeconds(state, market, secondOf(timestampMs));
  accountMinutes(market, minuteOf(timestampMs));
}

/** Time of the timer that fired last: all others are accounted for up to it and no further. */
function lastFiredMs({ contract, deadManSwitches }: State): number {
  let lastMs = deadManSwitches.firedAtMs;
  for (const { funding, sampler } of contract.markets) {
    lastMs = Math.max(lastMs, sampler.sampledMs, funding.premiumAtMs, funding.lastSlotMs);
  }
  return lastMs;
}

/**
 * The exchange starts again after a stop in which it saw nothing. Samples are dropped, except those
 * of the mark after a short stop and the premiums of a slot that is still to come or caught up.
 * After a long stop liquidations wait for new samples of the mark. Of the missed slots only one of
 * the last ten minutes is caught up, once a mark is fresh. Missed commissions are paid now;
 * countdowns that ended meanwhile are the next timers. With nothing to do, a restart leaves no
 * trace.
 */
export function resume(context: TimedContext): Result<null> {
  const { nowMs, state } = context;
  const markets = state.contract.markets.filter((market) => missesTime(state, market, nowMs));
  const paysNow = state.affiliates.settlementDueMs <= nowMs;
  const firesNow = state.deadManSwitches.dueMs <= nowMs;
  if (markets.length === 0 && !paysNow && !firesNow) return accept(null);
  context.emit({ type: "resumed", downMs: nowMs - state.timestampMs });
  for (const market of markets) {
    accountUpTo(state, market, state.timestampMs);
    restartSampling(state, market, nowMs);
    const missesSlot = market.funding.nextSlotMs <= nowMs;
    market.funding.premiumAtMs = minuteOf(nowMs);
    skipMissedSlots(market, nowMs);
    const isSkipped = missesSlot && market.funding.pendingSlotMs === 0;
    // Premiums seen before the stop count; otherwise the quotes of the first minute would make the
    // rate of all hours.
    if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY || isSkipped) forgetPremiums(market);
    refreshMark(context, market);
  }
  state.contract.maySettleFunding = true;
  if (paysNow) settleAll(context);
  if (firesNow) state.deadManSwitches.postponeTo(nowMs);
  runRisk(context);
  return accept(null);
}

/** Whether the market was sampled, or would have been, or a slot waits or has gone by. */
function missesTime(state: State, market: ContractMarket, nowMs: number): boolean {
  const { funding, sampler } = market;
  if (funding.premiumSamples > 0 || sampler.premiumIndexTicks > 0) return true;
  if (missesSeconds(state, market, nowMs) || isMinuteDue(market)) return true;
  return funding.nextSlotMs <= nowMs || funding.pendingSlotMs !== 0;
}

function skipMissedSlots(market: ContractMarket, nowMs: number): void {
  const { funding, rules } = market;
  const isRecent = (slotMs: number): boolean => nowMs - slotMs <= MISSED_SLOT_MAX_MS;
  if (funding.nextSlotMs <= nowMs) {
    const lastMs = slotOf(market, nowMs);
    funding.pendingSlotMs = isRecent(lastMs) ? lastMs : 0;
    funding.nextSlotMs = lastMs + rules.fundingIntervalMs;
  } else if (!isRecent(funding.pendingSlotMs)) {
    funding.pendingSlotMs = 0;
  }
}
