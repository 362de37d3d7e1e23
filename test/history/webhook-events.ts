/** Webhooks for the event streams, set and removed while they go on, and their naive model. */
import { WEBHOOK_KINDS } from "../../src/domain/index.ts";
import type { Event, EventOf } from "../../src/protocol/index.ts";
import type {
  ContractFill,
  HistoryAnswer,
  HistoryQuestion,
  SpotFill,
} from "../../src/queries/index.ts";
import type { Random } from "../support/random.ts";
import { LISTED, type Listing, USERS } from "./listed.ts";

export const WEBHOOK_IDS = ["wh_1", "wh_2"] as const;

export class WebhookEvents {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** What is done besides in one command; mostly nothing. */
  besides(sequence: number): Event[] {
    const random = this.#random;
    if (sequence !== 20 && !random.chance(0.02)) return [];
    const webhookId = random.pick(WEBHOOK_IDS);
    if (random.chance(0.2)) return [{ type: "webhook-removed", actor: "operator", webhookId }];
    const kinds = WEBHOOK_KINDS.filter(() => random.chance(0.7));
    const accounts = kinds.includes("fills") ? USERS.filter(() => random.chance(0.5)) : [];
    const url = "https://example.com/hook";
    const isPaused = random.chance(0.2);
    return [{ type: "webhook-set", actor: "operator", webhookId, url, kinds, accounts, isPaused }];
  }
}

type Entry = HistoryAnswer<"webhook-events">["events"][number];
type Settings = Pick<EventOf<"webhook-set">, "kinds" | "accounts">;

/** What the parts of the model that know fills say about a match. */
export interface MatchFills {
  readonly spot: readonly SpotFill[];
  readonly contract: readonly ContractFill[];
}

export class WebhookHistoryModel {
  readonly #settings = new Map<string, Settings>();
  readonly #entries = new Map<string, Entry[]>();
  readonly #units: Units;

  constructor({ units }: Pick<Listing, "units"> = LISTED) {
    this.#units = units;
  }

  apply(event: Event, at: Pick<Entry, "sequence" | "timeMs">, fillsOf: () => MatchFills): void {
    if (event.type === "webhook-set") this.#settings.set(event.webhookId, event);
    if (event.type === "webhook-removed") this.#settings.delete(event.webhookId);
    for (const [webhookId, { kinds, accounts }] of this.#settings) {
      for (const [kind, type, uid, data] of newsOf(event, fillsOf, this.#units)) {
        if (!(kinds as readonly string[]).includes(kind)) continue;
        if (kind === "fills" && !accounts.includes(uid)) continue;
        const entries = this.#entries.get(webhookId) ?? [];
        this.#entries.set(webhookId, entries);
        const number = entries.length + 1;
        entries.push({ number, ...at, type, uid, data: JSON.stringify(data) });
      }
    }
  }

  answer(q: HistoryQuestion<"webhook-events">): HistoryAnswer<"webhook-events"> {
    const entries = this.#entries.get(q.webhookId) ?? [];
    const events = entries.slice(q.afterNumber, q.afterNumber + q.limit);
    return { lastNumber: entries.length, events };
  }
}

type News = readonly [kind: string, type: string, uid: number, data: object];

type Units = Listing["units"];

function newsOf(event: Event, fillsOf: () => MatchFills, units: Units): News[] {
  switch (event.type) {
    case "spot-trade":
      return fillsOf().spot.map(({ uid, timeMs: _, ...fill }) => ["fills", "spot-fill", uid, fill]);
    case "contract-trade":
      return fillsOf().contract.map(({ uid, timeMs: _, ...fill }) => {
        return ["fills", "contract-fill", uid, fill];
      });
    case "liquidation-started":
    case "liquidation-finished": {
      const { symbol, positionId, marginType } = event;
      return [["liquidations", event.type, event.uid, { symbol, positionId, marginType }]];
    }
    case "spot-market-state-set":
    case "contract-market-state-set": {
      const product = event.type.startsWith("spot") ? "spot" : "contract";
      const { symbol, state } = event;
      return [["halts", "market-state-set", 0, { product, symbol, state }]];
    }
    default:
      return moneyNews(event, units);
  }
}

function moneyNews(event: Event, units: Units): News[] {
  if (event.type === "funds-moved") {
    const { asset, uid } = event;
    const moved = { id: event.requestId, asset, amount: units(event.amountMinor, asset) };
    const isDeposit = event.from === null;
    if (isDeposit) {
      return [["deposits", "deposit-credited", uid, { ...moved, account: event.to }]];
    }
    const isBooked = event.to === null && event.actor !== "";
    if (!isBooked) return [];
    return [["withdrawals", "withdrawal-booked", uid, { ...moved, account: event.from }]];
  }
  if (event.type === "deposit-changed") {
    const { actor, state, asset, depositId, network, transactionId, outputIndex } = event;
    const isNews = state === "dropped" || (state === "pending" && actor !== "");
    if (!isNews) return [];
    const place = { network, transactionId, outputIndex, confirmations: event.confirmations };
    const data = { depositId, asset, amount: units(event.amountMinor, asset), ...place };
    return [["deposits", `deposit-${state}`, event.uid, data]];
  }
  if (event.type === "withdrawal-changed") {
    const { asset, withdrawalId, requestId: id, network, address, memo, note, reference } = event;
    const amounts = { amount: units(event.amountMinor, asset), fee: units(event.feeMinor, asset) };
    const to = { network, address, memo, note, reference };
    const data = { withdrawalId, id, asset, ...amounts, ...to };
    return [["withdrawals", `withdrawal-${event.state}`, event.uid, data]];
  }
  return [];
}
