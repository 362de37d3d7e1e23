/**
 * One trader under load during one life of the process: places and cancels with its own client
 * order ids, and records each request before it is sent and each acknowledgement when it arrives.
 * Afterwards the records say what must be found again.
 */

import type { Account } from "./exchange-setup.ts";
import { NoAnswer } from "./http-exchange.ts";
import type { Random } from "./random.ts";
import type { CancelResult, PlaceOrderBody } from "./signed-client.ts";

export type PlaceFate = "unknown" | "refused" | { readonly orderId: number };
export type CancelFate = "none" | "unknown" | { readonly result: boolean };

export interface SentOrder {
  readonly body: PlaceOrderBody;
  place: PlaceFate;
  cancel: CancelFate;
}

export const SYMBOL = "BTCUSDT";
const OUTCOME_UNKNOWN = "40015";

export class Session {
  readonly sent: SentOrder[] = [];
  readonly #random: Random;
  readonly #prefix: string;
  #account: Account;
  #isStopped = false;

  constructor(account: Account, prefix: string, random: Random) {
    this.#account = account;
    this.#prefix = prefix;
    this.#random = random;
  }

  get account(): Account {
    return this.#account;
  }

  /** Goes on with a connection to the next life of the process. */
  on(account: Account): this {
    this.#account = account;
    return this;
  }

  get acknowledged(): readonly SentOrder[] {
    return this.sent.filter(({ place }) => typeof place === "object");
  }

  get unknown(): readonly SentOrder[] {
    return this.sent.filter(({ place }) => place === "unknown");
  }

  /** Nothing more is sent than what is under way. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Trades until the process is gone, or until it is stopped. */
  async tradeUntilGone(): Promise<void> {
    try {
      while (!this.#isStopped) {
        const open = this.acknowledged.filter(({ cancel }) => cancel === "none");
        if (open.length > 0 && this.#random.chance(0.35)) {
          await this.#cancel(this.#random.pick(open));
        } else {
          await this.#place();
        }
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
    }
  }

  async #place(): Promise<void> {
    const order: SentOrder = { body: this.#randomOrder(), place: "unknown", cancel: "none" };
    this.sent.push(order);
    order.place = await placeFate(this.#account, order.body);
  }

  async #cancel(order: SentOrder): Promise<void> {
    order.cancel = "unknown";
    order.cancel = await cancelFate(this.#account, order.body.clientOrderId);
  }

  #randomOrder(): PlaceOrderBody {
    const cents = 3_000_000 + this.#random.integer(-200, 200);
    return {
      symbol: SYMBOL,
      side: this.#random.chance(0.5) ? "buy" : "sell",
      orderType: "limit",
      force: this.#random.pick(["normal", "normal", "normal", "ioc", "postOnly"]),
      price: (cents / 100).toFixed(2),
      quantity: `0.0${this.#random.integer(1000, 9999)}`.slice(0, 7),
      clientOrderId: `${this.#prefix}-${this.sent.length}`,
    };
  }
}

/** Rejects with `NoAnswer` when the process goes away; any other surprise is a failure. */
export async function placeFate(account: Account, body: PlaceOrderBody): Promise<PlaceFate> {
  const answer = await account.client.place(body);
  const envelope = answer.body as { code: string; data: { orderId: number } } | undefined;
  if (envelope?.code === "00000") return { orderId: envelope.data.orderId };
  if (envelope?.code === "43012") return "refused";
  if (envelope?.code === OUTCOME_UNKNOWN) return "unknown";
  if (answer.status === 503) return "refused";
  throw new Error(`Place Order was answered ${answer.status}: ${answer.text}`);
}

/** `none` when no leader had it. */
export async function cancelFate(account: Account, clientOid: string): Promise<CancelFate> {
  const answer = await account.client.cancel({ symbol: SYMBOL, clientOid });
  const envelope = answer.body as { code: string; data: CancelResult } | undefined;
  if (envelope?.code === "00000") return { result: envelope.data.result };
  if (envelope?.code === OUTCOME_UNKNOWN) return "unknown";
  if (answer.status === 503) return "none";
  throw new Error(`Cancel Order was answered ${answer.status}: ${answer.text}`);
}
