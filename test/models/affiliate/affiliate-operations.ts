/** Random commands of the affiliate programme itself: the actions of operators and affiliates. */
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import type {
  NaiveAffiliateProgramme,
  NaiveRow,
} from "../../support/affiliate/naive-affiliate-programme.ts";
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { ACTOR, FUTURES_RATES, SPOT_RATES } from "./affiliate-setup.ts";

const BAD_RATES = ["0.50000001", "0.9", "1", "0.123456789", "-0.1", "", "1e-1", ".5"];
const NOBODY = 424_242;
const RECENT_ROWS = 400;

export class AffiliateOperations {
  readonly #random: Random;
  readonly #programme: NaiveAffiliateProgramme;
  readonly #paid: CommandOf<"withdraw-internally">[] = [];
  #counter = 0;

  constructor(random: Random, programme: NaiveAffiliateProgramme) {
    this.#random = random;
    this.#programme = programme;
  }

  /** One command, or a few that belong together; none when there is nothing to do it with. */
  next(): Command[] {
    const kind = this.#random.next();
    if (kind < 0.25) return [this.#setAffiliate()];
    if (kind < 0.33) return [this.#setPolicy()];
    if (kind < 0.4) return [this.#setHouseAccount()];
    if (kind < 0.55) return this.#release();
    if (kind < 0.75) return this.#reverse();
    if (kind < 0.8) return [{ type: "settle-commissions", ...this.#because("asked") }];
    return [this.#withdraw()];
  }

  #uid(): number {
    if (this.#random.chance(0.01)) return NOBODY;
    return this.#random.pick([...this.#programme.facts.users.keys()]);
  }

  #affiliateUid(): number {
    const uids = [...this.#programme.affiliates.keys()];
    return uids.length === 0 || this.#random.chance(0.1) ? this.#uid() : this.#random.pick(uids);
  }

  /** Who interferes says why. */
  #because(reason: string): { readonly actor: string; readonly reason: string } {
    const random = this.#random;
    const given = random.chance(0.02)
      ? random.pick(["", "x".repeat(500), "x".repeat(501)])
      : reason;
    return { actor: ACTOR, reason: given };
  }

  /** Rates change, newcomers join, some get the place in the tree that they never had. */
  #setAffiliate(): CommandOf<"set-affiliate"> {
    const random = this.#random;
    const joined = random.chance(0.1) ? this.#joinedTrees() : null;
    if (joined !== null) return joined;
    const uid = random.chance(0.6) ? this.#affiliateUid() : this.#uid();
    const present = this.#programme.affiliates.get(uid);
    const unchanged = present !== undefined && random.chance(0.2);
    const rate = (rates: readonly string[]) =>
      random.chance(0.06) ? random.pick(BAD_RATES) : random.pick(rates);
    const e8 = (rateE8: bigint) => text(rateE8 * 10n ** 10n);
    return {
      ...{ type: "set-affiliate", actor: ACTOR, uid },
      spotRate: unchanged ? e8(present.spotRateE8) : rate(SPOT_RATES),
      futuresRate: unchanged ? e8(present.futuresRateE8) : rate(FUTURES_RATES),
      parentUid: random.chance(0.5) ? null : this.#parentOf(uid),
    };
  }

  /** One whole tree below the lowest affiliate of another, which may make it too deep. */
  #joinedTrees(): CommandOf<"set-affiliate"> | null {
    const programme = this.#programme;
    const all = [...programme.affiliates.values()];
    const roots = all.filter(({ parentUid }) => parentUid === null);
    if (roots.length === 0) return null;
    const top = this.#random.pick(roots);
    const lowest = all
      .filter(({ uid }) => programme.ancestry(uid).every((above) => above.uid !== top.uid))
      .sort((one, other) => programme.depth(one.uid) - programme.depth(other.uid))
      .at(-1);
    if (lowest === undefined) return null;
    const e8 = (rateE8: bigint) => text(rateE8 * 10n ** 10n);
    return {
      ...{ type: "set-affiliate", actor: ACTOR, uid: top.uid, parentUid: lowest.uid },
      ...{ spotRate: e8(top.spotRateE8), futuresRate: e8(top.futuresRateE8) },
    };
  }

  #parentOf(uid: number): number {
    const random = this.#random;
    if (random.chance(0.1)) return random.pick([uid, NOBODY, this.#uid()]);
    const present = this.#programme.affiliates.get(uid)?.parentUid ?? null;
    return present !== null && random.chance(0.5) ? present : this.#affiliateUid();
  }

  #setPolicy(): CommandOf<"set-affiliate-policy"> {
    const random = this.#random;
    const caps = [null, null, "0", "0.01", "0.00123456", "1.5", "20", "1000"];
    return {
      ...{ type: "set-affiliate-policy", actor: ACTOR },
      capPerReferral30d: random.chance(0.03) ? random.pick(["-1", "", "x"]) : random.pick(caps),
      holdSelfReferral: random.chance(0.6),
      holdWashTrades: random.chance(0.6),
      washTradeShare: random.chance(0.03)
        ? random.pick(["1.00000001", "0.000000001", "-0"])
        : random.pick(["0", "0.2", "0.33333333", "0.5", "0.9", "1"]),
    };
  }

  #setHouseAccount(): CommandOf<"set-house-account"> {
    const random = this.#random;
    return { type: "set-house-account", actor: ACTOR, uid: this.#uid(), house: random.chance(0.3) };
  }

  /** Of all rows some that lately came, so that few of them are settled. */
  #row(wanted: (row: NaiveRow) => boolean): NaiveRow | undefined {
    const all = [...this.#programme.rows.values()];
    const found = (this.#random.chance(0.5) ? all.slice(-RECENT_ROWS) : all).filter(wanted);
    return found.length === 0 ? undefined : this.#random.pick(found);
  }

  #release(): Command[] {
    const random = this.#random;
    const row = this.#row(({ isHeld }) => isHeld);
    const none = random.integer(0, this.#programme.nextCommissionId + 2);
    const commissionId = random.chance(0.05) ? none : (row?.event.commissionId ?? none);
    return [{ type: "release-commission", ...this.#because("looked at"), commissionId }];
  }

  /** Some after the affiliate took all that there was. */
  #reverse(): Command[] {
    const random = this.#random;
    const wantsHeld = random.chance(0.3);
    const row = this.#row(
      ({ isHeld, isReversed, event }) =>
        isHeld === wantsHeld && !isReversed && event.commissionMinor > 0n,
    );
    const again = random.chance(0.1) ? this.#row(({ isReversed }) => isReversed) : undefined;
    const some = again ?? (random.chance(0.1) ? this.#row(() => true) : row);
    if (some === undefined) return [];
    const reversal = this.#reversalOf(some);
    const { affiliateUid: uid, asset } = reversal;
    if (random.chance(0.6)) return [reversal];
    const { facts } = this.#programme;
    const available = facts.available(uid, asset);
    const left = random.chance(0.5) ? 0n : some.event.commissionMinor / 3n;
    if (available <= left) return [reversal];
    const amount = text((available - left) * facts.unit(asset));
    const requestId = `drained-${++this.#counter}`;
    const leaving = { actor: ACTOR, requestId, uid, wallet: "spot", asset, amount } as const;
    const settling = { type: "settle-commissions", actor: ACTOR, reason: "drained" } as const;
    return random.chance(0.5)
      ? [settling, { type: "withdraw-funds", ...leaving }, reversal]
      : [{ type: "withdraw-funds", ...leaving }, reversal];
  }

  /** A lie is told of held commissions alone: of others the engine believes what it is told. */
  #reversalOf({ event, isHeld }: NaiveRow): CommandOf<"reverse-commission"> {
    const random = this.#random;
    const { commissionId, affiliateUid, traderUid, product, symbol, asset } = event;
    const command: CommandOf<"reverse-commission"> = {
      ...{ type: "reverse-commission", ...this.#because("taken back") },
      ...{ commissionId, affiliateUid, traderUid, product, symbol, asset },
      amount: this.#programme.amountText(asset, event.commissionMinor),
    };
    if (random.chance(0.06)) return { ...command, ...this.#nothingReal() };
    if (!isHeld || random.chance(0.75)) return command;
    return { ...command, ...this.#lie(command) };
  }

  #nothingReal(): Partial<CommandOf<"reverse-commission">> {
    const { nextCommissionId, reversals } = this.#programme;
    const reversal = { commissionId: [...reversals].at(-1) ?? nextCommissionId + 1 };
    return this.#random.pick([
      reversal,
      reversal,
      { commissionId: nextCommissionId },
      { commissionId: 0 },
      { affiliateUid: NOBODY },
      { traderUid: NOBODY },
      { asset: "NIL" },
    ]);
  }

  #lie(command: CommandOf<"reverse-commission">): Partial<CommandOf<"reverse-commission">> {
    const { product } = command;
    return this.#random.pick([
      { affiliateUid: this.#affiliateUid() },
      { traderUid: this.#uid() },
      { product: product === "spot" ? "contract" : "spot" },
      { symbol: "ACOUSDT" },
      { asset: "EUR" },
      { amount: "1" },
    ] as const);
  }

  /** Downwards to affiliates and their invitees; also to others, too much, and again. */
  #withdraw(): CommandOf<"withdraw-internally"> {
    const random = this.#random;
    if (this.#paid.length > 0 && random.chance(0.2)) {
      const again = random.pick(this.#paid);
      return random.chance(0.6) ? again : { ...again, ...this.#otherPayment() };
    }
    const { facts } = this.#programme;
    const frozen = [...facts.users.values()].filter(({ isFrozen }) => isFrozen);
    const isStuck = frozen.length > 0 && random.chance(0.2);
    const uid = isStuck ? random.pick(frozen).uid : this.#affiliateUid();
    const asset = random.chance(0.01) ? "NIL" : random.pick([...facts.assets.keys()]);
    const command: CommandOf<"withdraw-internally"> = {
      ...{ type: "withdraw-internally", uid, toUid: this.#recipient(uid), asset },
      amount: this.#amount(uid, asset),
      requestId: random.chance(0.5) ? null : `pay-${++this.#counter}`,
    };
    if (command.requestId !== null) this.#paid.push(command);
    return command;
  }

  #otherPayment(): Partial<CommandOf<"withdraw-internally">> {
    return this.#random.pick<Partial<CommandOf<"withdraw-internally">>>([
      { amount: "0.01" },
      { toUid: this.#uid() },
      { asset: "EUR" },
    ]);
  }

  #recipient(uid: number): number {
    const random = this.#random;
    const users = [...this.#programme.facts.users.values()];
    const own = users.filter(({ inviterUid }) => inviterUid === uid);
    const below = users.filter(
      (user) => this.#programme.affiliates.get(user.uid)?.parentUid === uid,
    );
    const near = [...own, ...below];
    return near.length === 0 || random.chance(0.4) ? this.#uid() : random.pick(near).uid;
  }

  #amount(uid: number, asset: string): string {
    const random = this.#random;
    if (random.chance(0.05)) return random.pick(["0", "-1", "", "0.0000000000000000001", "x"]);
    const { facts } = this.#programme;
    const available = facts.available(uid, asset);
    const part =
      available / BigInt(random.pick([1, 7, 1_000, 1_000_000])) + BigInt(random.integer(0, 1));
    return text((part > 0n ? part : 1n) * facts.unit(asset));
  }
}
