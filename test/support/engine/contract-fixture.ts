/**
 * A state with contract markets and funded users, and a context that keeps what was told: for tests
 * that look at prices, time and listings, and not at whole commands through the engine.
 */
import { invariant } from "../../../src/domain/index.ts";
import {
  type ContractMarketTexts,
  setContractMarket,
} from "../../../src/engine/contract/markets.ts";
import type { ContractMarket } from "../../../src/engine/contract/state/contract-market.ts";
import { RULES_VERSION } from "../../../src/engine/rules-version.ts";
import { setAsset } from "../../../src/engine/spot/markets.ts";
import { State, type TimedContext, type User } from "../../../src/engine/state.ts";
import type { Event, EventOf, EventType } from "../../../src/protocol/index.ts";
import { BTC_CONTRACT } from "../listings.ts";
import { fund } from "./paired-positions.ts";

/** The first day of 2026, UTC. */
const START_MS = 1_767_225_600_000;

export class ContractFixture implements TimedContext {
  readonly state = new State({ high: 1, low: 2 });
  nowMs = START_MS;
  sequence = 1;
  stepsLeft = 0;
  events: Event[] = [];

  constructor() {
    this.state.rulesVersion = RULES_VERSION;
  }

  emit(event: Event): void {
    this.events.push(event);
  }

  /** The events of a type since the last call of any kind, which forgets all of them. */
  emitted<Type extends EventType>(type: Type): EventOf<Type>[] {
    const events = this.events.filter((event) => event.type === type);
    this.events = [];
    return events as EventOf<Type>[];
  }

  /** Lists a market and its assets, of scale 8. */
  list(changes: Partial<ContractMarketTexts> = {}): ContractMarket {
    const { state } = this;
    const listing = { ...BTC_CONTRACT, ...changes };
    for (const asset of [listing.baseAsset, listing.quoteAsset]) {
      if (state.assetsByName.has(asset)) continue;
      const coinId = state.assets.length + 1;
      const terms = { asset, coinId, name: asset, scale: 8 };
      const listed = setAsset(this, { type: "set-asset", actor: "", ...terms });
      invariant(listed.ok, "an asset can be listed");
    }
    const set = setContractMarket(this, { type: "set-contract-market", actor: "", ...listing });
    invariant(set.ok, set.ok ? "" : `${set.reason} ${set.field} ${set.detail}`);
    return state.contract.marketsBySymbol.get(listing.symbol) as ContractMarket;
  }

  /** A user with so many minor units in the contract wallet of the market. */
  user(uid: number, market: ContractMarket, fundsMinor: bigint): User {
    const user: User = {
      uid,
      inviteCode: `invite-${uid}`,
      inviterUid: null,
      registeredMs: this.nowMs,
      kyc: false,
      state: "active",
      house: false,
      selfTradePrevention: "NONE",
      accountBases: [],
      feeRates: null,
      openOrderCounts: [],
    };
    this.state.users.set(uid, user);
    this.state.usersByInviteCode.set(user.inviteCode, user);
    fund(this.state, user, market, fundsMinor);
    return user;
  }
}
