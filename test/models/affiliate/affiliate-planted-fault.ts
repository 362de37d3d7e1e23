/** The faults that the tests of the affiliate programme must notice, one by one. */
import type { PlantedFault } from "../planted-fault.ts";

const FOLDER = "engine/affiliate";
/** So few commissions may be held where the bound is tried. */
export const FEW_HELD = 25;

function fault(file: string, name: string, original: string, faulty: string): PlantedFault {
  return { name, file: `${FOLDER}/${file}.ts`, original, faulty };
}

function elsewhere(file: string, name: string, original: string, faulty: string): PlantedFault {
  return { name, file: `engine/${file}.ts`, original, faulty };
}

/** No fault for a reference that knows of it. */
export function fewHeldFault(): PlantedFault {
  const original = "HELD_COMMISSIONS_MAX = 1_000_000";
  return fault("accrual", "few are held", original, `HELD_COMMISSIONS_MAX = ${FEW_HELD}`);
}

const ACCRUAL = [
  fault("accrual", "self-matches earn", "&& maker !== taker;", ";"),
  fault(
    "accrual",
    "an ancestor is compared with the next one below alone",
    "below = { affiliate, rateVersion: below.rateVersion };",
    "highestE8 = rateE8;\n      below = { affiliate, rateVersion: affiliate.rateVersion };",
  ),
  fault("accrual", "an equal rate earns a row", "rateE8 > highestE8", "rateE8 >= highestE8"),
  fault(
    "accrual",
    "the version of the next one below is told",
    "below = { affiliate, rateVersion: below.rateVersion };",
    "below = { affiliate, rateVersion: affiliate.rateVersion };",
  ),
  fault(
    "accrual",
    "it comes through whoever is subtracted",
    "below = { affiliate, rateVersion: below.rateVersion };",
    "",
  ),
  fault(
    "accrual",
    "the whole rate is applied above",
    "const appliedE8 = rateE8 - highestE8;",
    "const appliedE8 = rateE8;",
  ),
  fault(
    "accrual",
    "a direct affiliate without a rate gets no row",
    "if (below === null || rateE8 > highestE8) {",
    "if (rateE8 > highestE8) {",
  ),
  fault(
    "accrual",
    "commissions round up",
    "const grossMinor = (feeMinor * BigInt(appliedE8)) / ONE_E8;",
    "const grossMinor = (feeMinor * BigInt(appliedE8) + ONE_E8 - 1n) / ONE_E8;",
  ),
  fault(
    "accrual",
    "the residue is forgotten",
    "if (residueMinor === 0n) return;",
    "if (residueMinor >= 0n) return;",
  ),
  fault(
    "accrual",
    "the residue stays with the fees",
    'ledger.move(fees, ledger.houseAccount(feeAsset.index, "rounding"), residueMinor);',
    'ledger.houseAccount(fees, "rounding");',
  ),
  fault(
    "accrual",
    "house accounts earn",
    "if (direct === null || trader.house)",
    "if (direct === null)",
  ),
  fault(
    "accrual",
    "nobody earns on who trades with a house account",
    "direct === null || trader.house",
    "direct === null || counterparty.house",
  ),
  fault(
    "accrual",
    "the taker's side goes first",
    "accrueSide(context, fill, fill.maker, fill.taker.trader);\n" +
      "  accrueSide(context, fill, fill.taker, fill.maker.trader);",
    "accrueSide(context, fill, fill.taker, fill.maker.trader);\n" +
      "  accrueSide(context, fill, fill.maker, fill.taker.trader);",
  ),
  fault(
    "accrual",
    "only what is more than nothing is held",
    "const isHeld = flags.length > 0 && !isRefused;",
    "const isHeld = flags.length > 0 && !isRefused && grossMinor > 0n;",
  ),
  fault(
    "accrual",
    "the cap counts what it cut",
    "countTowardsCap(context, affiliate, trader.uid, feeAsset, commissionMinor);",
    "countTowardsCap(context, affiliate, trader.uid, feeAsset, grossMinor);",
  ),
  fault(
    "affiliate-state",
    "contracts earn at the spot rate",
    'product === "spot" ? affiliate.spotRateE8 : affiliate.futuresRateE8',
    'product !== "spot" || product === "spot" ? affiliate.spotRateE8 : 0',
  ),
  elsewhere(
    "spot/settlement",
    "a maker's fee is in the other coin",
    "feeAsset: takerBuys ? quoteAsset : baseAsset",
    "feeAsset: takerBuys ? baseAsset : quoteAsset",
  ),
  elsewhere(
    "contract/orders/fill",
    "liquidations earn nothing",
    'match.kind === "book" || match.kind === "liquidation"',
    'match.kind === "book"',
  ),
  elsewhere(
    "contract/orders/fill",
    "deleveraging earns rows",
    'match.kind === "book" || match.kind === "liquidation"',
    'match.kind !== "netting"',
  ),
  elsewhere(
    "contract/orders/fill",
    "a liquidation earns on the fee that was due",
    "feeMinor: fill.feeMinor }",
    "feeMinor: fill.isClosing ? fill.feeMinor + 1n : fill.feeMinor }",
  ),
] as const;

const MONEY = [
  fault(
    "balances",
    "held commissions are payable",
    "if (isHeld) balance.heldMinor += amountMinor;",
    "if (isHeld && amountMinor < 0n) balance.heldMinor += amountMinor;",
  ),
  fault(
    "balances",
    "an hour later instead of the full hour",
    "context.nowMs - (context.nowMs % HOUR_MS) + HOUR_MS",
    "context.nowMs + HOUR_MS",
  ),
  fault(
    "balances",
    "on the full hour it is due at once",
    "context.nowMs - (context.nowMs % HOUR_MS) + HOUR_MS",
    "context.nowMs + ((HOUR_MS - (context.nowMs % HOUR_MS)) % HOUR_MS)",
  ),
  fault(
    "balances",
    "the hour stays due when nothing waits",
    "if (affiliates.waiting.size === 0) affiliates.settlementDueMs = NEVER_MS;",
    "",
  ),
  fault(
    "balances",
    "what is released never becomes payable",
    'invariant(balance.heldMinor >= 0n, "what is released was held");\n' +
      "  addPayable(context, balance, amountMinor);",
    "invariant(context !== null, String(NEVER_MS));",
  ),
  fault(
    "settlement",
    "the later affiliates are paid first",
    "const byUid = one.affiliate.user.uid - other.affiliate.user.uid;",
    "const byUid = other.affiliate.user.uid - one.affiliate.user.uid;",
  ),
  fault(
    "settlement",
    "the later assets are paid first",
    "one.assetIndex - other.assetIndex",
    "other.assetIndex - one.assetIndex",
  ),
  fault(
    "settlement",
    "debts are forgiven",
    "const recoveredMinor = lesser(owedMinor, accruedMinor);",
    "const recoveredMinor = 0n * lesser(owedMinor, accruedMinor);",
  ),
  fault("settlement", "debts are kept twice", "balance.owedMinor -= recoveredMinor;", ""),
  fault(
    "settlement",
    "it tells the next number",
    "uptoCommissionId: affiliates.nextCommissionId - 1,",
    "uptoCommissionId: affiliates.nextCommissionId,",
  ),
  fault(
    "settlement",
    "who is frozen is not paid",
    "if (paidMinor > 0n) payOut(",
    'if (paidMinor > 0n && affiliate.user.state === "active") payOut(',
  ),
  fault(
    "settlement",
    "asking settles nothing",
    "return accept({ settlements: settleAll(context) });",
    "return accept({ settlements: context.state.affiliates.waiting.size });",
  ),
  elsewhere(
    "contract/time/timers",
    "a stop loses a settlement",
    "if (paysNow) settleAll(context);",
    "",
  ),
  elsewhere(
    "contract/time/timers",
    "settlements wake nobody up",
    "Math.min(state.affiliates.settlementDueMs, state.deadManSwitches.dueMs)",
    "state.deadManSwitches.dueMs",
  ),
  fault(
    "reversal",
    "a commission is reversed twice",
    "if (reversals.has(commissionId)) {",
    "if (reversals.has(-commissionId)) {",
  ),
  fault(
    "reversal",
    "reversals are reversed",
    "affiliates.reversalIds.add(reversalId);",
    "affiliates.reversalIds.add(-reversalId);",
  ),
  fault("reversal", "what is missing is not owed", "balance.owedMinor += owedMinor;", ""),
  fault(
    "reversal",
    "the wallet pays first",
    "const fromPayableMinor = lesser(payableMinor, amountMinor);",
    "const fromPayableMinor = lesser(payableMinor, amountMinor) / 2n;",
  ),
  fault("reversal", "a held one is taken at its word", "held === null ||", "held !== undefined ||"),
  fault(
    "reversal",
    "a held one is taken from what waits",
    "held === null\n      ? takeBack(",
    "held !== undefined\n      ? takeBack(",
  ),
] as const;

const RULES = [
  fault("tree", "eleven levels", "> AFFILIATE_DEPTH_MAX)", "> AFFILIATE_DEPTH_MAX + 1)"),
  fault(
    "tree",
    "what stands below does not count",
    "depthOf(parent) + heightOf(affiliates, present)",
    "depthOf(parent) + 0 * heightOf(affiliates, present) + 1",
  ),
  fault(
    "tree",
    "a parent is given again",
    'if (current !== null) return conflict("the parent is set already and never changes");',
    "",
  ),
  fault("tree", "versions stand still", "affiliate.rateVersion++;", ""),
  fault(
    "tree",
    "rates are as old as the affiliate",
    "{ spotRateE8, futuresRateE8, ratesSinceMs: nowMs }",
    "{ spotRateE8, futuresRateE8 }",
  ),
  fault("tree", "a parent is a version too", "if (!sameRates) {", "if (nowMs > 0) {"),
  fault("tree", "rates have no bound", "rateE8 > BigInt(mostE8)", "rateE8 > BigInt(mostE8) * 9n"),
  fault(
    "referral-cap",
    "a unit more than is left",
    "unitsWithin(price, leftE8)",
    "unitsWithin(price, leftE8) + 1n",
  ),
  fault(
    "referral-cap",
    "all affiliates of a trader share a cap",
    "countedDaysOf(affiliates, affiliate.user.uid, traderUid).add(",
    "countedDaysOf(affiliates, traderUid, traderUid).add(",
  ),
  fault(
    "referral-cap",
    "what is worth nothing is cut",
    "if (price === null || valueE8(price, grossMinor) === 0n) return grossMinor;",
    "if (price === null) return grossMinor;",
  ),
  fault(
    "policy",
    "a lifted cap is remembered",
    "if (policy.capPerReferral30dE8 === null) affiliates.cappedDays.clear();",
    "",
  ),
  fault(
    "policy",
    "volumes are counted on after the switch",
    "if (!policy.holdWashTrades) affiliates.tradedVolumes.clear();",
    "",
  ),
  fault("rolling-days", "thirty-one days", ".day <= day - DAYS", ".day < day - DAYS"),
  fault("rolling-days", "twenty-nine days", "const DAYS = 30;", "const DAYS = 29;"),
  fault(
    "rolling-days",
    "what is old stays in the sum",
    "this.#sumE8 -= (this.#days[old] as DayTotal).totalE8;",
    "",
  ),
  fault(
    "usdt-value",
    "a market's name is enough",
    "if (baseAsset.asset !== asset || quoteAsset.asset !== USDT) return null;",
    "",
  ),
  fault(
    "usdt-value",
    "values round up",
    "(amountMinor * price.numerator) / price.denominator",
    "(amountMinor * price.numerator + price.denominator - 1n) / price.denominator",
  ),
  fault("suspicions", "payments link one way", "[otherUid, uid],", ""),
  fault("suspicions", "own trades are clean", "return user === trader ||", "return"),
  fault(
    "suspicions",
    "the share itself is too much",
    "relatedE8 * BigInt(RATE_ONE_E8) > allE8",
    "relatedE8 * BigInt(RATE_ONE_E8) >= allE8",
  ),
  fault("suspicions", "strangers wash", "return isRelated && isMuch;", "return isMuch;"),
  fault(
    "suspicions",
    "invitees of one affiliate are strangers",
    "(ofOne === ofOther || ofOne.user === other)",
    "(ofOne.user === other)",
  ),
  fault(
    "suspicions",
    "an affiliate and its invitee are strangers",
    "return ofOther?.user === one;",
    "return false;",
  ),
  fault(
    "internal-withdrawal",
    "who is frozen pays",
    'if (user.state === "frozen") return reject("user-frozen");',
    "",
  ),
  fault(
    "internal-withdrawal",
    "only own invitees are paid",
    "return direct !== null && isWithin(direct, sender);",
    "return direct === sender;",
  ),
  fault(
    "internal-withdrawal",
    "a repetition pays again",
    "if (repeated !== null) return repeated;",
    "",
  ),
  fault(
    "internal-withdrawal",
    "payments are forgotten",
    "link(affiliates, user.uid, recipient.uid);",
    "link(affiliates, user.uid, -1);",
  ),
] as const;

const SNAPSHOTS = [
  fault(
    "snapshot-sections",
    "a restart forgets when it settles",
    "affiliates.settlementDueMs = settlementDueMs ?? NEVER_MS;",
    "affiliates.settlementDueMs = settlementDueMs === 0 ? 0 : NEVER_MS;",
  ),
  fault(
    "snapshot-sections",
    "a restart forgets payments",
    "link(affiliates, uid, otherUid);",
    "link(affiliates, uid, -otherUid);",
  ),
  fault(
    "snapshot-sections",
    "a restart forgets what caps count",
    "countedDaysOf(affiliates, affiliateUid, traderUid).add(day, totalE8);",
    "countedDaysOf(affiliates, affiliateUid, traderUid).add(day, 0n * totalE8);",
  ),
  fault(
    "snapshot-sections",
    "a restart mixes volumes",
    "(related ? volume.related : volume.all).add",
    "(related ? volume.all : volume.related).add",
  ),
  fault(
    "snapshot-sections",
    "a restart forgets house accounts",
    "existingUser(state, uid).house = true;",
    "existingUser(state, uid).house = uid < 0;",
  ),
  fault(
    "snapshot-sections",
    "a snapshot leaves out old reversals",
    "for (const [commissionId, reversalId] of affiliates.reversals) {",
    "for (const [commissionId, reversalId] of [...affiliates.reversals].slice(1)) {",
  ),
] as const;

export const AFFILIATE_FAULTS: readonly PlantedFault[] = [
  ...ACCRUAL,
  ...MONEY,
  ...RULES,
  ...SNAPSHOTS,
];
