/** Rates of funding, and what a slot moves, of the reference exchange of contracts. */
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, least, sum, text } from "../../support/exact.ts";
import { accepted, type NaiveOutcome } from "../naive-accounts.ts";
import { NaiveAmendments } from "./naive-amendments.ts";
import type { NaiveContractMarket, NaivePosition } from "./naive-contract-state.ts";
import { Refusal } from "./naive-positions.ts";
import { clamp, down, floorDivide, nearest, ONE, up } from "./rounding.ts";

export const PREMIUM_ONE = 10n ** 12n;
export const RATE_UNIT = 10n ** 10n;

export abstract class NaiveFunding extends NaiveAmendments {
  protected giveFundingRate(command: CommandOf<"set-funding-rate">): NaiveOutcome {
    const market = this.market(command.symbol);
    const [, sign = "", digits = ""] = /^(-?)(.*)$/.exec(command.rate ?? "0") ?? [];
    if (!/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(digits)) throw new Refusal("malformed");
    const rate = sign === "-" ? -exact(digits) : exact(digits);
    if (rate % RATE_UNIT !== 0n) throw new Refusal("excess-precision");
    if (rate > ONE || rate < -ONE) throw new Refusal("out-of-range");
    const given = command.rate === null ? null : rate;
    if (given === market.givenRate) return accepted(null, []);
    market.givenRate = given;
    const told = given === null ? null : text(given);
    this.emit({ type: "funding-rate-set", symbol: market.symbol, rate: told });
    return accepted(null, []);
  }

  /** The rate that settling now would give. */
  fundingRate({ givenRate, rules, premiums }: NaiveContractMarket): bigint {
    if (givenRate !== null) return givenRate;
    const samples = BigInt(premiums.length === 0 ? 1 : premiums.length);
    // In units of 10^-18 / samples.
    const average = sum(premiums.map(({ premium }) => premium)) * (ONE / PREMIUM_ONE);
    const interest = rules.interest * samples;
    const inner = rules.innerClamp * samples;
    const rate = average + clamp(interest - average, -inner, inner);
    const capped = clamp(rate, -rules.rateCap * samples, rules.rateCap * samples);
    return nearest(capped, samples, RATE_UNIT);
  }

  protected settleSlot(market: NaiveContractMarket, slotMs: number): void {
    const { symbol, mark, rules, premiums } = market;
    // Without a price there is nothing to settle.
    if (mark === 0n) return;
    const rate = this.fundingRate(market);
    if (market.givenRate !== null) this.note("funding: a given rate");
    market.givenRate = null;
    const { asset } = rules.quote;
    const unit = this.unitOf(symbol);
    const magnitude = rate < 0n ? -rate : rate;
    const payingSide = rate > 0n ? "LONG" : "SHORT";
    const own = this.positions.filter((position) => position.symbol === symbol && rate !== 0n);
    const rateOf = this.groupRates();
    let collected = 0n;
    let waived = 0n;
    for (const position of own.filter(({ side }) => side === payingSide)) {
      const due = up(this.markValue(position) * magnitude, ONE, unit);
      const paid = greatest(0n, least(due, this.#mostPayable(position, rateOf)));
      waived += due - paid;
      collected += paid;
      this.#moveFunding(position, -paid, slotMs);
    }
    const receivers = own.filter(({ side }) => side !== payingSide);
    const dues = sum(receivers.map((position) => this.markValue(position) * magnitude));
    let received = 0n;
    for (const position of receivers) {
      const due = this.markValue(position) * magnitude;
      const got = dues === 0n ? 0n : down(due * collected, dues, unit);
      received += got;
      this.#moveFunding(position, got, slotMs);
    }
    this.addHouse("rounding", asset, collected - received);
    market.lastRate = rate;
    market.premiums = [];
    this.emit({
      type: "funding-settled",
      ...{ symbol, slotMs, premiumSamples: premiums.length },
      rate: text(rate),
      index: text(market.indexPrice),
      mark: text(mark),
      collected: text(collected),
      received: text(received),
      rounding: text(collected - received),
      waived: text(waived),
    });
  }

  /** So much leaves the position, or its account, above maintenance and a buffer. */
  #mostPayable(position: NaivePosition, rateOf: (isolated: NaivePosition) => bigint): bigint {
    const { uid, symbol, marginType, margin } = position;
    const { asset } = this.market(symbol).rules.quote;
    const { buffer } = this.market(symbol).rules;
    const unit = this.unitOf(symbol);
    if (marginType === "ISOLATED") {
      const needed = this.markValue(position) * (rateOf(position) + buffer);
      const spare = (margin + this.pnlOf(position)) * ONE - needed;
      return least(margin, floorDivide(spare, ONE * unit) * unit);
    }
    const needed = this.crossMaintenance(uid, asset, (of) => this.market(of).rules.buffer);
    const spare = this.crossEquity(uid, asset) * ONE - needed;
    return least(this.cash(uid, asset), floorDivide(spare, ONE * unit) * unit);
  }

  #moveFunding(position: NaivePosition, delta: bigint, slotMs: number): void {
    if (delta === 0n) return;
    const { id, uid, symbol, side, marginType } = position;
    const { asset } = this.market(symbol).rules.quote;
    this.addEquity(uid, "contract", asset, delta);
    if (marginType === "ISOLATED") position.margin += delta;
    position.fundingFee -= delta;
    position.cumFundingFee -= delta;
    this.touch(position);
    this.emit({
      type: "funding-moved",
      ...{ symbol, uid, positionId: id, positionSide: side, asset, slotMs },
      delta: text(delta),
      wallet: text(this.wallet(uid, asset)),
    });
  }
}
