/**
 * Events: what happened. They are the engine's only output besides its answers. A chunk is a
 * sequence of event records; each command's events follow a `command-applied` record with their
 * sequence and time. Amounts are minor units of the asset, prices ticks and quantities lots, unless
 * they are text.
 */
import {
  APPROVAL_ACTIONS,
  END_REASONS,
  MARKET_STATES,
  OPERATOR_ROLES,
  ORDER_STATUSES,
  ORDER_TYPES,
  PERMISSIONS,
  PRODUCTS,
  PROPOSAL_STATES,
  SELF_TRADE_PREVENTIONS,
  SIDES,
  TIMES_IN_FORCE,
  USER_STATES,
  WALLETS,
} from "../domain/index.ts";
import { AFFILIATE_EVENTS } from "./affiliate-events.ts";
import { ByteReader, type ByteWriter } from "./bytes.ts";
import { SPOT_MARKET_FIELDS } from "./commands.ts";
import { CONTRACT_EVENTS } from "./contract-events.ts";
import { CUSTODY_EVENTS } from "./custody-records.ts";
import { DEPOSIT_EVENTS } from "./deposit-events.ts";
import {
  big,
  choice,
  type Decoded,
  flag,
  list,
  nullable,
  type RecordCodec,
  type RecordFilter,
  RecordSet,
  record,
  recurringText,
  text,
  uint,
  writeFramed,
} from "./record.ts";
import { WEBHOOK_EVENTS } from "./webhook-records.ts";
import { WITHDRAWAL_EVENTS } from "./withdrawal-events.ts";

const commandApplied = record(1, "command-applied", { sequence: uint, timestampMs: uint });
const rulesAdopted = record(2, "rules-adopted", { version: uint });
const clockAdvanced = record(3, "clock-advanced", { actor: text, byMs: uint });
/** `timeMs` is exchange time from now on. */
const clockSet = record(4, "clock-set", { actor: text, timeMs: uint, speedE3: uint });

const assetSet = record(10, "asset-set", {
  actor: text,
  asset: text,
  coinId: uint,
  name: text,
  scale: uint,
});

const spotMarketSet = record(11, "spot-market-set", { actor: text, ...SPOT_MARKET_FIELDS });

const spotMarketStateSet = record(12, "spot-market-state-set", {
  actor: text,
  symbol: recurringText,
  state: choice(MARKET_STATES),
});

const userRegistered = record(20, "user-registered", {
  actor: text,
  uid: uint,
  inviteCode: text,
  inviterUid: nullable(uint),
  kyc: flag,
});

const userUpdated = record(21, "user-updated", {
  actor: text,
  uid: uint,
  kyc: flag,
  state: choice(USER_STATES),
  selfTradePrevention: choice(SELF_TRADE_PREVENTIONS),
});

const feeRatesSet = record(22, "fee-rates-set", {
  actor: text,
  uid: uint,
  product: choice(PRODUCTS),
  symbol: nullable(recurringText),
  makerFeeRate: text,
  takerFeeRate: text,
});

const apiKeySet = record(30, "api-key-set", {
  actor: text,
  apiKey: text,
  uid: uint,
  label: text,
  permissions: list(choice(PERMISSIONS)),
  ipAllowList: list(text),
  expiresAtMs: nullable(uint),
});

const apiKeyRevoked = record(31, "api-key-revoked", { actor: text, apiKey: text, uid: uint });

const operatorSet = record(32, "operator-set", {
  actor: text,
  name: text,
  role: choice(OPERATOR_ROLES),
  hasNewToken: flag,
  expiresAtMs: nullable(uint),
});

const operatorRemoved = record(33, "operator-removed", { actor: text, name: text });

const approvalRuleSet = record(34, "approval-rule-set", {
  actor: text,
  action: choice(APPROVAL_ACTIONS),
  asset: text,
  above: nullable(text),
});

/** Something waits for a second operator, or was decided. */
const proposalChanged = record(35, "proposal-changed", {
  actor: text,
  proposalId: uint,
  proposer: text,
  state: choice(PROPOSAL_STATES),
  action: choice(APPROVAL_ACTIONS),
  what: text,
  note: text,
});

/**
 * A deposit has only `to`, a withdrawal only `from`. Equities are those of the whole wallet
 * afterwards.
 */
const fundsMoved = record(40, "funds-moved", {
  actor: text,
  requestId: text,
  uid: uint,
  asset: text,
  amountMinor: big,
  from: nullable(choice(WALLETS)),
  to: nullable(choice(WALLETS)),
  spotEquityMinor: big,
  contractEquityMinor: big,
});

/** `deltaMinor` is negative for a withdrawal from the fund. */
const insuranceMoved = record(41, "insurance-moved", {
  actor: text,
  requestId: text,
  asset: text,
  deltaMinor: big,
  balanceMinor: big,
});

/** An order now rests in the book, perhaps after fills. */
const spotOrderOpened = record(50, "spot-order-opened", {
  orderId: uint,
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  side: choice(SIDES),
  timeInForce: choice(TIMES_IN_FORCE),
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledQuoteMinor: big,
});

/**
 * One match. The buyer receives `quantityLots` minus the fee in base, the seller `quoteMinor` minus
 * the fee in quote. Equities (available + frozen) are those after the match, for the bills of both
 * sides.
 */
const spotTrade = record(51, "spot-trade", {
  tradeId: uint,
  symbol: recurringText,
  takerSide: choice(SIDES),
  priceTicks: uint,
  quantityLots: uint,
  baseMinor: big,
  quoteMinor: big,
  makerOrderId: uint,
  takerOrderId: uint,
  makerUid: uint,
  takerUid: uint,
  makerFeeMinor: big,
  takerFeeMinor: big,
  buyerBaseEquityMinor: big,
  buyerQuoteEquityMinor: big,
  sellerBaseEquityMinor: big,
  sellerQuoteEquityMinor: big,
});

/**
 * An order ended. `priceTicks` is 0 for a market order. For an order placed by quote amount,
 * `quantityLots` is 0 and `quoteAmountMinor` is set.
 */
const spotOrderEnded = record(52, "spot-order-ended", {
  orderId: uint,
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  side: choice(SIDES),
  orderType: choice(ORDER_TYPES),
  timeInForce: choice(TIMES_IN_FORCE),
  priceTicks: uint,
  quantityLots: uint,
  quoteAmountMinor: big,
  filledLots: uint,
  filledQuoteMinor: big,
  status: choice(ORDER_STATUSES),
  reason: choice(END_REASONS),
  createdMs: uint,
});

/**
 * An open order has a new price or quantity; price and quantity are the new ones, the fills the
 * earlier ones. Unless it kept its place, it has left the book: the command's later events treat it
 * as a new order, until it rests again or ends.
 */
const spotOrderAmended = record(53, "spot-order-amended", {
  orderId: uint,
  uid: uint,
  symbol: recurringText,
  clientOrderId: text,
  side: choice(SIDES),
  timeInForce: choice(TIMES_IN_FORCE),
  priceTicks: uint,
  quantityLots: uint,
  filledLots: uint,
  filledQuoteMinor: big,
  keptPriority: flag,
  createdMs: uint,
});

/** `firesAtMs` is 0 when it was switched off. A null symbol means every market. */
const deadManSwitchSet = record(54, "dead-man-switch-set", {
  uid: uint,
  product: choice(PRODUCTS),
  symbol: nullable(recurringText),
  countdownMs: uint,
  firesAtMs: uint,
});

/**
 * A countdown ended: its orders ended before this event, perhaps in several commands. Halted
 * markets keep their orders; if there are any, the switch stays held until a market resumes.
 */
const deadManSwitchFired = record(55, "dead-man-switch-fired", {
  uid: uint,
  product: choice(PRODUCTS),
  symbol: nullable(recurringText),
  isHeld: flag,
});

/** Why an operator did what the event before says. */
const reasonGiven = record(140, "reason-given", { reason: text });

const CODECS = [
  commandApplied,
  rulesAdopted,
  clockAdvanced,
  clockSet,
  assetSet,
  spotMarketSet,
  spotMarketStateSet,
  userRegistered,
  userUpdated,
  feeRatesSet,
  apiKeySet,
  apiKeyRevoked,
  operatorSet,
  operatorRemoved,
  approvalRuleSet,
  proposalChanged,
  reasonGiven,
  fundsMoved,
  insuranceMoved,
  spotOrderOpened,
  spotTrade,
  spotOrderEnded,
  spotOrderAmended,
  deadManSwitchSet,
  deadManSwitchFired,
  ...CONTRACT_EVENTS,
  ...AFFILIATE_EVENTS,
  ...WITHDRAWAL_EVENTS,
  ...DEPOSIT_EVENTS,
  ...WEBHOOK_EVENTS,
  ...CUSTODY_EVENTS,
] as const;

export type Event = Decoded<(typeof CODECS)[number]>;
export type EventType = Event["type"];
export type EventOf<Type extends EventType> = Extract<Event, { readonly type: Type }>;

const EVENTS = new RecordSet<Event>(CODECS as readonly RecordCodec<string, Event>[]);

/** `writeEvent` for the event that every command has; it saves looking up the codec. */
export function writeCommandApplied(
  writer: ByteWriter,
  sequence: number,
  timestampMs: number,
): void {
  writeFramed(writer, commandApplied, { type: "command-applied", sequence, timestampMs });
}

export function writeEvent(writer: ByteWriter, event: Event): void {
  EVENTS.write(writer, event);
}

/** Selects event types for `readEvents`. */
export function eventFilter(types: Iterable<EventType>): RecordFilter {
  return EVENTS.filter(types);
}

/** Reads a chunk event by event, for whoever stops in the middle of it. */
export class EventReader {
  readonly #reader: ByteReader;

  constructor(chunk: Uint8Array) {
    this.#reader = new ByteReader(chunk);
  }

  /** Bytes that were read. */
  get offset(): number {
    return this.#reader.offset;
  }

  get atEnd(): boolean {
    return this.#reader.atEnd;
  }

  /** The next event, or the next wanted one; null at the end. */
  next(wanted: RecordFilter | null): Event | null {
    const reader = this.#reader;
    while (!reader.atEnd) {
      const event = EVENTS.readWanted(reader, wanted);
      if (event !== null) return event;
    }
    return null;
  }
}

/** The events of a chunk, in order: all, or only the wanted ones. */
export function* readEvents(
  chunk: Uint8Array,
  wanted: RecordFilter | null = null,
): Generator<Event> {
  const reader = new EventReader(chunk);
  for (let event = reader.next(wanted); event !== null; event = reader.next(wanted)) yield event;
}
