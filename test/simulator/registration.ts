/** Traders come one after the other, each with a key, money and perhaps an inviter. */
import type { Credentials } from "../support/signed-client.ts";
import type { Schedule } from "./schedule.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { Trader } from "./trader.ts";

/** So many traders are affiliates from the beginning. */
const AFFILIATES = 2;

interface Registered {
  readonly uid: number;
  readonly inviteCode: string;
}

export class Registration {
  readonly #exchange: SimulatedExchange;
  readonly #schedule: Schedule;
  count = 0;
  readonly #uids: number[] = [];
  /** Of the affiliate that invites whoever registers. */
  #inviteCode: string | null = null;

  constructor(exchange: SimulatedExchange, schedule: Schedule) {
    this.#exchange = exchange;
    this.#schedule = schedule;
  }

  /** `parentUid`: of an affiliate above it. */
  async next(parentUid: number | undefined): Promise<Trader> {
    const name = `t${++this.count}`;
    const exchange = this.#exchange;
    const { errands, hasAffiliates, selfTrades } = this.#schedule;
    const invited = hasAffiliates && this.#inviteCode !== null;
    const { inviteCode, uid } = await exchange.operator<Registered>("POST", "users", {
      ...(invited ? { inviteCode: this.#inviteCode } : {}),
    });
    this.#uids.push(uid);
    if (hasAffiliates) await this.#invite(uid, inviteCode, parentUid);
    const withdraw = errands.includes("funding") ? ["withdraw"] : [];
    const key = {
      label: name,
      permissions: ["read", "spot", "contract", "affiliate", ...withdraw],
      passphrase: "passphrase",
    };
    const credentials = await exchange.operator<Credentials>("POST", `users/${uid}/api-keys`, key);
    const trader = new Trader(exchange, name, uid, credentials);
    exchange.clients.push(credentials);
    const selfTradePrevention = selfTrades[this.count % selfTrades.length];
    await exchange.operator("PATCH", `users/${uid}`, { selfTradePrevention });
    for (const body of [
      { account: "spot", asset: "BTC", amount: "1" },
      { account: "spot", asset: "USDT", amount: "1000" },
      { account: "contract", asset: "USDT", amount: this.#schedule.contractFunds },
    ]) {
      await exchange.life.until(trader.move("deposits", body));
    }
    return trader;
  }

  /** Of those who were there before these. */
  formerUids(traders: readonly Trader[]): readonly number[] {
    const present = new Set(traders.map(({ uid }) => uid));
    return this.#uids.filter((uid) => !present.has(uid));
  }

  /** The first traders are affiliates, one below the other, and each invites the next. */
  async #invite(uid: number, inviteCode: string, parent: number | undefined): Promise<void> {
    if (this.count > AFFILIATES) return;
    const spotRate = `0.${this.count}`;
    const body = { spotRate, futuresRate: "0.3", ...(parent ? { parentUid: parent } : {}) };
    await this.#exchange.operator("PUT", `affiliates/${uid}`, body);
    this.#inviteCode = inviteCode;
  }
}
