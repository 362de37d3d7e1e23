/**
 * The effects of the programme's commands, written from the rules: each collects every reason for
 * rejection, and is carried out when there is none.
 */
import { isDeepStrictEqual } from "node:util";
import type { RejectReason } from "../../../src/domain/index.ts";
import type { AffiliateCommand, Command, CommandOf, Event } from "../../../src/protocol/index.ts";
import type {
  NaiveAffiliate,
  NaiveAffiliateProgramme,
  NaiveOutcome,
} from "../../support/affiliate/naive-affiliate-programme.ts";
import { exact } from "../exact.ts";

const DEPTH_MAX = 10;
const REASON_LENGTH_MAX = 500;
const PLAIN = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

/** A payment that was made under a request id. */
interface RememberedPayment {
  readonly command: CommandOf<"withdraw-internally">;
  readonly withdrawalId: number;
}

export function isAffiliateCommand(command: Command): command is AffiliateCommand {
  return COMMANDS.has(command.type);
}

const COMMANDS: ReadonlySet<string> = new Set([
  "set-affiliate",
  "set-affiliate-policy",
  "set-house-account",
  "release-commission",
  "reverse-commission",
  "settle-commissions",
  "withdraw-internally",
] satisfies AffiliateCommand["type"][]);

export class NaiveAffiliateCommands {
  readonly #programme: NaiveAffiliateProgramme;
  readonly #payments = new Map<string, RememberedPayment>();
  #nextWithdrawalId = 1;

  constructor(programme: NaiveAffiliateProgramme) {
    this.#programme = programme;
  }

  carryOut(command: AffiliateCommand, nowMs: number): NaiveOutcome {
    switch (command.type) {
      case "set-affiliate":
        return this.#setAffiliate(command, nowMs);
      case "set-affiliate-policy":
        return this.#setPolicy(command);
      case "set-house-account":
        return this.#setHouseAccount(command);
      case "release-commission":
        return this.#release(command, nowMs);
      case "reverse-commission":
        return this.#reverse(command, nowMs);
      case "settle-commissions":
        return this.#settle(command, nowMs);
      case "withdraw-internally":
        return this.#withdraw(command);
    }
  }

  #setAffiliate(command: CommandOf<"set-affiliate">, nowMs: number): NaiveOutcome {
    const programme = this.#programme;
    const { actor, uid, parentUid } = command;
    const reasons = new Set<RejectReason>();
    if (!programme.facts.users.has(uid)) reasons.add("unknown-user");
    const spotRateE8 = readE8(command.spotRate, exact("0.5"), reasons);
    const futuresRateE8 = readE8(command.futuresRate, exact("0.8"), reasons);
    const present = programme.affiliates.get(uid) ?? null;
    if (parentUid !== null) this.#checkParent(uid, present, parentUid, reasons);
    if (reasons.size > 0) return { ok: false, reasons };

    const ratesChange =
      present?.spotRateE8 !== spotRateE8 || present.futuresRateE8 !== futuresRateE8;
    const parentChanges = parentUid !== null && present?.parentUid !== parentUid;
    if (!ratesChange && !parentChanges) return done(null);
    const affiliate: NaiveAffiliate = {
      uid,
      spotRateE8,
      futuresRateE8,
      parentUid: parentUid ?? present?.parentUid ?? null,
      rateVersion: (present?.rateVersion ?? 0) + (ratesChange ? 1 : 0),
      ratesSinceMs: ratesChange ? nowMs : (present?.ratesSinceMs ?? nowMs),
    };
    programme.affiliates.set(uid, affiliate);
    const { rateVersion } = affiliate;
    return done(null, [
      {
        ...{ type: "affiliate-set", actor, uid, parentUid: affiliate.parentUid, rateVersion },
        spotRateE8: Number(spotRateE8),
        futuresRateE8: Number(futuresRateE8),
        depth: programme.depth(uid),
      },
    ]);
  }

  /** A parent is given once, is an affiliate, and leaves the tree a tree of ten levels. */
  #checkParent(
    uid: number,
    present: NaiveAffiliate | null,
    parentUid: number,
    reasons: Set<RejectReason>,
  ): void {
    const programme = this.#programme;
    const isGiven = present !== null && present.parentUid !== null;
    if (isGiven && present.parentUid === parentUid) return;
    if (isGiven || uid === parentUid) reasons.add("conflict");
    if (!programme.isAffiliate(parentUid)) {
      reasons.add("not-an-affiliate");
      return;
    }
    if (programme.ancestry(parentUid).some((above) => above.uid === uid)) reasons.add("conflict");
    const height = present === null ? 1 : programme.height(uid);
    if (programme.depth(parentUid) + height > DEPTH_MAX) reasons.add("conflict");
  }

  #setPolicy(command: CommandOf<"set-affiliate-policy">): NaiveOutcome {
    const { actor, holdSelfReferral, holdWashTrades } = command;
    const reasons = new Set<RejectReason>();
    const cap = command.capPerReferral30d;
    const capE8 = cap === null ? null : readE8(cap, null, reasons);
    const washTradeShareE8 = readE8(command.washTradeShare, exact("1"), reasons);
    if (reasons.size > 0) return { ok: false, reasons };
    const policy = { capE8, holdSelfReferral, holdWashTrades, washTradeShareE8 };
    if (isDeepStrictEqual(policy, this.#programme.policy)) return done(null);
    this.#programme.setPolicy(policy);
    return done(null, [
      {
        ...{ type: "affiliate-policy-set", actor, holdSelfReferral, holdWashTrades },
        capPerReferral30dE8: capE8,
        washTradeShareE8: Number(washTradeShareE8),
      },
    ]);
  }

  #setHouseAccount(command: CommandOf<"set-house-account">): NaiveOutcome {
    const { actor, uid, house } = command;
    const user = this.#programme.facts.users.get(uid);
    if (user === undefined) return refused("unknown-user");
    if (user.isHouse === house) return done(null);
    user.isHouse = house;
    return done(null, [{ type: "house-account-set", actor, uid, house }]);
  }

  #release(command: CommandOf<"release-commission">, nowMs: number): NaiveOutcome {
    const { actor, reason, commissionId } = command;
    const row = this.#programme.rows.get(commissionId);
    const reasons = new Set<RejectReason>();
    checkReason(reason, reasons);
    if (row === undefined || !row.isHeld) reasons.add("unknown-commission");
    if (reasons.size > 0 || row === undefined) return { ok: false, reasons };
    this.#programme.release(row, nowMs);
    const { affiliateUid, asset, commissionMinor: amountMinor } = row.event;
    return done(null, [
      {
        ...{ type: "commission-released", actor, reason, commissionId },
        ...{ affiliateUid, asset, amountMinor },
      },
    ]);
  }

  /**
   * The engine knows the amount of a held commission alone. Of another it believes the command,
   * which the traffic never lets lie about a commission that is there.
   */
  #reverse(command: CommandOf<"reverse-commission">, nowMs: number): NaiveOutcome {
    const programme = this.#programme;
    const { facts } = programme;
    const reasons = new Set<RejectReason>();
    const row = programme.rows.get(command.commissionId);
    checkReason(command.reason, reasons);
    if (row === undefined) reasons.add("unknown-commission");
    if (row?.isReversed) reasons.add("conflict");
    if (row !== undefined && row.event.commissionMinor === 0n) {
      // There is nothing to take back.
      reasons.add("conflict");
    }
    if (!facts.assets.has(command.asset)) reasons.add("unknown-asset");
    if (!programme.affiliates.has(command.affiliateUid)) reasons.add("not-an-affiliate");
    for (const uid of [command.affiliateUid, command.traderUid]) {
      if (!facts.users.has(uid)) reasons.add("unknown-user");
    }
    if (row?.isHeld && !this.#tellsTheTruth(command)) {
      reasons.add("unknown-commission");
      this.#readAmount(command, reasons);
    }
    if (reasons.size > 0 || row === undefined) return { ok: false, reasons };
    const event = programme.reverse(command, row.event.commissionMinor, nowMs);
    if (event.type !== "commission-reversed") throw new Error("a reversal tells of itself");
    const amount = (minor: bigint) => programme.amountText(command.asset, minor);
    const value = {
      reversalId: event.reversalId,
      fromPayable: amount(event.fromPayableMinor),
      fromSpot: amount(event.fromSpotMinor),
      owed: amount(event.owedMinor),
    };
    return done(value, [event]);
  }

  #tellsTheTruth(command: CommandOf<"reverse-commission">): boolean {
    const event = this.#programme.rows.get(command.commissionId)?.event;
    return (
      event !== undefined &&
      event.affiliateUid === command.affiliateUid &&
      event.traderUid === command.traderUid &&
      event.product === command.product &&
      event.symbol === command.symbol &&
      event.asset === command.asset &&
      this.#programme.amountText(event.asset, event.commissionMinor) === command.amount
    );
  }

  #settle(command: CommandOf<"settle-commissions">, nowMs: number): NaiveOutcome {
    const { actor, reason } = command;
    const reasons = new Set<RejectReason>();
    checkReason(reason, reasons);
    if (reasons.size > 0) return { ok: false, reasons };
    const payments = this.#programme.settle(nowMs);
    // Where there is nothing to pay, nothing changes.
    if (payments.length === 0) return done({ settlements: 0 });
    const asked: Event = { type: "settlement-asked", actor, reason };
    return done({ settlements: payments.length }, [asked, ...payments]);
  }

  #withdraw(command: CommandOf<"withdraw-internally">): NaiveOutcome {
    const programme = this.#programme;
    const { facts } = programme;
    const { uid, toUid, asset, requestId } = command;
    const reasons = new Set<RejectReason>();
    if (!facts.users.has(uid)) return refused("unknown-user");
    const amount = this.#readAmount(command, reasons);
    const key = `${uid} ${requestId}`;
    const first = requestId === null ? undefined : this.#payments.get(key);
    if (first !== undefined && reasons.size === 0) {
      const { command: paid, withdrawalId } = first;
      const isSame =
        paid.toUid === toUid &&
        paid.asset === asset &&
        exact(paid.amount) === exact(command.amount);
      return isSame ? done({ withdrawalId }) : refused("conflict");
    }
    if (!programme.isAffiliate(uid)) reasons.add("not-an-affiliate");
    if (facts.user(uid).isFrozen) reasons.add("user-frozen");
    if (!this.#mayBePaid(uid, toUid)) reasons.add("unknown-user");
    if (facts.available(uid, asset) < amount) reasons.add("insufficient-balance");
    if (reasons.size > 0) return { ok: false, reasons };

    facts.credit(uid, asset, -amount);
    facts.credit(toUid, asset, amount);
    programme.link(uid, toUid);
    const withdrawalId = this.#nextWithdrawalId++;
    if (requestId !== null) this.#payments.set(key, { command, withdrawalId });
    return done({ withdrawalId }, [
      {
        ...{ type: "internal-withdrawal-made", withdrawalId, requestId, uid, toUid, asset },
        amountMinor: amount,
        spotEquityMinor: facts.equity(uid, asset),
        toSpotEquityMinor: facts.equity(toUid, asset),
      },
    ]);
  }

  #readAmount(
    { asset, amount }: CommandOf<"reverse-commission" | "withdraw-internally">,
    reasons: Set<RejectReason>,
  ): bigint {
    const { facts } = this.#programme;
    if (!facts.assets.has(asset)) reasons.add("unknown-asset");
    if (!PLAIN.test(amount)) {
      reasons.add("malformed");
      return 0n;
    }
    const unit = facts.unit(asset);
    if (exact(amount) % unit !== 0n) reasons.add("excess-precision");
    if (exact(amount) === 0n) reasons.add("out-of-range");
    return exact(amount) / unit;
  }

  /** Affiliates below, and whoever registered with a code of the sender or of one of them. */
  #mayBePaid(uid: number, toUid: number): boolean {
    const programme = this.#programme;
    if (uid === toUid) return false;
    const isBelow = (other: number | null): boolean =>
      programme.isAffiliate(other) &&
      programme.ancestry(other).some((affiliate) => affiliate.uid === uid);
    const inviterUid = programme.facts.users.get(toUid)?.inviterUid ?? null;
    return isBelow(toUid) || isBelow(inviterUid);
  }
}

function checkReason(reason: string, reasons: Set<RejectReason>): void {
  if (reason === "" || reason.length > REASON_LENGTH_MAX) reasons.add("out-of-range");
}

/** A fraction or amount of at most 8 decimals, in 10^-8; 0 when there is a reason against it. */
function readE8(plain: string, most: bigint | null, reasons: Set<RejectReason>): bigint {
  if (!PLAIN.test(plain)) {
    reasons.add("malformed");
    return 0n;
  }
  const amount = exact(plain);
  if (amount % 10n ** 10n !== 0n) reasons.add("excess-precision");
  if (most !== null && amount > most) reasons.add("out-of-range");
  return amount / 10n ** 10n;
}

function done(value: unknown, events: readonly Event[] = []): NaiveOutcome {
  return { ok: true, value, events };
}

function refused(reason: RejectReason): NaiveOutcome {
  return { ok: false, reasons: new Set([reason]) };
}
