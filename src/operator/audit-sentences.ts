/** Entries of the audit log as sentences: "ann halted the spot market BTCUSDT: upgrade". */
import { unreachable } from "../domain/index.ts";
import type { Event, EventType } from "../protocol/index.ts";

/** The names of `details` in the audit log: those of the event, with decimal text. */
type Details = Readonly<Record<string, unknown>>;
type AuditedType = Extract<Event, { readonly actor: string }>["type"];

const SECOND_MS = 1_000;
const SPEED_SCALE = 1_000;

export function auditSentence(actor: string, action: string, details: Details): string {
  const reason = typeof details.reason === "string" ? details.reason : "";
  const deed = deedOf(action as AuditedType, details);
  return `${actor} ${deed}${reason === "" ? "" : `: ${reason}`}`;
}

function deedOf(action: AuditedType, d: Details): string {
  switch (action) {
    case "clock-advanced":
    case "clock-set":
      return clockDeed(action, d);
    case "asset-set":
      return `set asset ${d.asset} (${d.name}, ${d.scale} decimals)`;
    case "spot-market-set":
    case "contract-market-set":
    case "spot-market-state-set":
    case "contract-market-state-set":
    case "index-price-set":
    case "mark-price-pinned":
    case "funding-rate-set":
      return marketDeed(action, d);
    case "user-registered":
    case "user-updated":
    case "fee-rates-set":
    case "house-account-set":
    case "api-key-set":
    case "api-key-revoked":
      return userDeed(action, d);
    case "operator-set":
    case "operator-removed":
    case "approval-rule-set":
    case "proposal-changed":
      return operatorDeed(action, d);
    case "funds-moved":
    case "insurance-moved":
    case "deposit-rules-set":
    case "deposit-changed":
    case "withdrawal-rules-set":
    case "withdrawal-address-added":
    case "withdrawal-address-removed":
    case "withdrawal-changed":
    case "custody-reported":
      return fundsDeed(action, d);
    case "affiliate-set":
    case "affiliate-policy-set":
    case "commission-released":
    case "commission-reversed":
    case "settlement-asked":
      return affiliateDeed(action, d);
    case "webhook-set":
      return `set webhook ${d.webhookId} to ${d.url}${d.isPaused === true ? ", paused" : ""}`;
    case "webhook-removed":
      return `removed webhook ${d.webhookId}`;
    default:
      return unreachable(action);
  }
}

type Of<Type extends AuditedType & EventType> = Type;

function clockDeed(action: Of<"clock-advanced" | "clock-set">, d: Details): string {
  if (action === "clock-advanced") {
    return `advanced the clock by ${Number(d.byMs) / SECOND_MS} s`;
  }
  const speed = Number(d.speedE3) / SPEED_SCALE;
  const pace = speed === 0 ? "frozen" : `at ${speed}× speed`;
  return `set the clock to ${timeText(d.timeMs)}, ${pace}`;
}

function marketDeed(
  action: Of<
    | "spot-market-set"
    | "contract-market-set"
    | "spot-market-state-set"
    | "contract-market-state-set"
    | "index-price-set"
    | "mark-price-pinned"
    | "funding-rate-set"
  >,
  d: Details,
): string {
  const { symbol } = d;
  switch (action) {
    case "spot-market-set":
    case "contract-market-set":
      return `set the rules of ${productOf(action)} ${symbol} (${d.state})`;
    case "spot-market-state-set":
    case "contract-market-state-set":
      return stateDeed(`${productOf(action)} ${symbol}`, d.state);
    case "index-price-set":
      return `set the index price of ${symbol} to ${d.indexPrice}`;
    case "mark-price-pinned":
      return d.markPrice === "0"
        ? `unpinned the mark price of ${symbol}`
        : `pinned the mark price of ${symbol} at ${d.markPrice}`;
    case "funding-rate-set":
      return d.rate === null
        ? `removed the set funding rate of ${symbol}`
        : `set the next funding rate of ${symbol} to ${percent(d.rate)}`;
    default:
      return unreachable(action);
  }
}

function productOf(action: string): string {
  return action.startsWith("spot") ? "spot" : "contract";
}

function stateDeed(market: string, state: unknown): string {
  if (state === "halted") return `halted ${market}`;
  return state === "trading" ? `resumed trading in ${market}` : `set ${market} to ${state}`;
}

function userDeed(
  action: Of<
    | "user-registered"
    | "user-updated"
    | "fee-rates-set"
    | "house-account-set"
    | "api-key-set"
    | "api-key-revoked"
  >,
  d: Details,
): string {
  const { uid } = d;
  switch (action) {
    case "user-registered":
      return `registered user ${uid}${d.inviterUid === null ? "" : `, invited by ${d.inviterUid}`}`;
    case "user-updated": {
      const kyc = d.kyc === true ? "KYC verified" : "KYC not verified";
      const prevention = String(d.selfTradePrevention).toLowerCase().replaceAll("_", " ");
      return `set user ${uid} to ${d.state}, ${kyc}, self-trade prevention ${prevention}`;
    }
    case "fee-rates-set": {
      const where = d.symbol === null ? `all ${d.product} markets` : `${d.product} ${d.symbol}`;
      const rates = `maker ${percent(d.makerFeeRate)}, taker ${percent(d.takerFeeRate)}`;
      return `set the fee rates of user ${uid} in ${where}: ${rates}`;
    }
    case "house-account-set":
      return `marked user ${uid} as ${d.house === true ? "house account" : "customer"}`;
    case "api-key-set": {
      const permissions = (d.permissions as readonly string[]).join(", ");
      return `set API key ${d.apiKey} of user ${uid} (${permissions})`;
    }
    case "api-key-revoked":
      return `revoked API key ${d.apiKey} of user ${uid}`;
    default:
      return unreachable(action);
  }
}

function operatorDeed(
  action: Of<"operator-set" | "operator-removed" | "approval-rule-set" | "proposal-changed">,
  d: Details,
): string {
  switch (action) {
    case "operator-set": {
      const token = d.hasNewToken === true ? " with a new token" : "";
      return `set operator ${d.name} as ${d.role}${token}`;
    }
    case "operator-removed":
      return `removed operator ${d.name}`;
    case "approval-rule-set": {
      const of = d.asset === "" ? d.action : `${d.action} of ${d.asset}`;
      if (d.above === null) return `ended the need for a second operator for ${of}`;
      const above = d.asset === "" ? "" : ` above ${d.above}`;
      return `required a second operator for ${of}${above}`;
    }
    case "proposal-changed": {
      const note = d.note === "" ? "" : `: ${d.note}`;
      const verb = d.state === "waiting" ? "proposed" : d.state;
      return `${verb} proposal ${d.proposalId}, “${d.what}”${note}`;
    }
    default:
      return unreachable(action);
  }
}

function fundsDeed(
  action: Of<
    | "funds-moved"
    | "insurance-moved"
    | "deposit-rules-set"
    | "deposit-changed"
    | "withdrawal-rules-set"
    | "withdrawal-address-added"
    | "withdrawal-address-removed"
    | "withdrawal-changed"
    | "custody-reported"
  >,
  d: Details,
): string {
  const { asset, uid, network } = d;
  switch (action) {
    case "funds-moved":
      return movementDeed(d);
    case "insurance-moved": {
      const isOut = String(d.delta).startsWith("-");
      const amount = String(d.delta).replace("-", "");
      const way = isOut ? "withdrew" : "deposited";
      return `${way} ${amount} ${asset} ${isOut ? "from" : "into"} the insurance fund`;
    }
    case "deposit-rules-set":
      return `required ${d.confirmations} confirmations for ${asset} deposits over ${network}`;
    case "deposit-changed": {
      const what = `${d.amount} ${asset} of user ${uid}, ${d.state}`;
      const seen = `${d.confirmations} of ${d.required} confirmations`;
      return `reported deposit ${d.depositId}: ${what}, ${seen}`;
    }
    case "withdrawal-rules-set":
      return `set the withdrawal rules of ${asset}`;
    case "withdrawal-address-added":
      return `added ${asset} address ${d.address} to the address book of user ${uid}`;
    case "withdrawal-address-removed":
      return `removed ${asset} address ${d.address} from the address book of user ${uid}`;
    case "withdrawal-changed": {
      const note = d.note === "" ? "" : `: ${d.note}`;
      const what = `withdrawal ${d.withdrawalId}, ${d.amount} ${asset} of user ${uid}`;
      return `${withdrawalVerb(d.state)} ${what}${note}`;
    }
    case "custody-reported":
      return `reported custody balances as of ${timeText(d.asOfMs)}`;
    default:
      return unreachable(action);
  }
}

function movementDeed({ amount, asset, uid, from, to }: Details): string {
  if (from === null) return `deposited ${amount} ${asset} into the ${to} wallet of user ${uid}`;
  if (to === null) return `withdrew ${amount} ${asset} from the ${from} wallet of user ${uid}`;
  return `transferred ${amount} ${asset} of user ${uid} from ${from} to ${to}`;
}

function withdrawalVerb(state: unknown): string {
  const isRecorded = state === "sent" || state === "done" || state === "failed";
  return isRecorded ? `recorded as ${state}` : String(state);
}

function affiliateDeed(
  action: Of<
    | "affiliate-set"
    | "affiliate-policy-set"
    | "commission-released"
    | "commission-reversed"
    | "settlement-asked"
  >,
  d: Details,
): string {
  switch (action) {
    case "affiliate-set": {
      const rates = `spot ${percent(d.spotRate)}, futures ${percent(d.futuresRate)}`;
      return `set the rates of affiliate ${d.uid}: ${rates}`;
    }
    case "affiliate-policy-set":
      return "set the affiliate policy";
    case "commission-released":
      return `released ${commissionText(d)}`;
    case "commission-reversed":
      return `reversed ${commissionText(d)}`;
    case "settlement-asked":
      return "settled commissions";
    default:
      return unreachable(action);
  }
}

function commissionText({ commissionId, amount, asset, affiliateUid }: Details): string {
  return `commission ${commissionId}, ${amount} ${asset} of affiliate ${affiliateUid}`;
}

/** "0.001" as "0.1%": the point moves two places. */
function percent(rate: unknown): string {
  const text = String(rate);
  const sign = text.startsWith("-") ? "-" : "";
  const [whole = "0", fraction = ""] = text.slice(sign.length).split(".");
  const digits = `${whole}${fraction.padEnd(2, "0").slice(0, 2)}`.replace(/^0+(?=\d)/, "");
  const rest = fraction.slice(2).replace(/0+$/, "");
  return `${sign}${digits}${rest === "" ? "" : `.${rest}`}%`;
}

function timeText(ms: unknown): string {
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? `${ms} ms` : `${time.toISOString().slice(0, 19)}Z`;
}
