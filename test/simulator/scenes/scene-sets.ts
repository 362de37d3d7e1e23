/** Which scenes there are, of which exchanges, how often, and which of them stand for others. */
import type { Product } from "../orders.ts";
import type { Schedule } from "../schedule.ts";
import { affiliatePages } from "./affiliate-pages.ts";
import { amendments } from "./amendments.ts";
import { amounts } from "./amounts.ts";
import { appendedMargins } from "./appended-margins.ts";
import { attachments } from "./attachments.ts";
import { brokenSessions } from "./broken-sessions.ts";
import { caps, raisedCaps } from "./caps.ts";
import { chains } from "./chains.ts";
import { changedContracts } from "./changed-contracts.ts";
import { bands, fullBooks, resumptions } from "./changed-markets.ts";
import { operatorChanges } from "./changed-operators.ts";
import { changedSpotRules } from "./changed-spot-rules.ts";
import { changedStops } from "./changed-stops.ts";
import { children } from "./children.ts";
import { clockSpeeds } from "./clock-speeds.ts";
import { closing } from "./closes.ts";
import { correctedWebhooks } from "./corrected-webhooks.ts";
import { countdowns } from "./countdowns.ts";
import { counts } from "./counts.ts";
import { custodyReports } from "./custody-reports.ts";
import { debts } from "./debts.ts";
import { decidedHolds } from "./decided-holds.ts";
import { deepBooks } from "./deep-books.ts";
import { deepTrees } from "./deep-trees.ts";
import { drawLimits } from "./draw-limits.ts";
import { limits, repetitions } from "./edges-of-requests.ts";
import { fullDisks } from "./full-disks.ts";
import { fullOrders } from "./full-orders.ts";
import { fullUsers } from "./full-users.ts";
import { fundings } from "./fundings.ts";
import { givenPrices } from "./given-prices.ts";
import { hedgedWinners } from "./hedged-winners.ts";
import { heldLiquidations } from "./held-liquidations.ts";
import { heldWithdrawals } from "./held-withdrawals.ts";
import { houseScenarios } from "./house-scenarios.ts";
import { keys } from "./keys.ts";
import { lateAnswers } from "./late-answers.ts";
import { lateReaders } from "./late-readers.ts";
import { leftAttachments } from "./left-attachments.ts";
import { leverage } from "./leverages.ts";
import { liquidatedOrders } from "./liquidated-orders.ts";
import { liquidation } from "./liquidations.ts";
import { loneRules } from "./lone-rules.ts";
import { longRests } from "./long-rests.ts";
import { middleAffiliates } from "./middle-affiliates.ts";
import { movedMargins } from "./moved-margins.ts";
import { operatorClients } from "./operator-clients.ts";
import { longSilence, orderLists } from "./order-lists.ts";
import { ownFees } from "./own-fees.ts";
import { ownOrders } from "./own-orders.ts";
import { pages } from "./pages.ts";
import { protectedAmendments } from "./protected-amendments.ts";
import { protectedTakers } from "./protected-takers.ts";
import { publishedCalls } from "./published-calls.ts";
import { publishedRoles } from "./published-roles.ts";
import { quiet } from "./quiet.ts";
import { quietChannels } from "./quiet-channels.ts";
import { raisedRates } from "./raised-rates.ts";
import { rankedCandidates } from "./ranked-candidates.ts";
import { requestFaults } from "./request-faults.ts";
import { rollingDays } from "./rolling-days.ts";
import { secondVersionOrders } from "./second-version-orders.ts";
import { settledHolds } from "./settled-holds.ts";
import { sharedFundings } from "./shared-fundings.ts";
import { sharedLiquidations } from "./shared-liquidations.ts";
import { socketFaults } from "./socket-faults.ts";
import type { Scene } from "./stage.ts";
import { frozenHolders, haltedContracts } from "./stopped-risks.ts";
import { stops } from "./stops.ts";
import { streamReaders } from "./stream-readers.ts";
import { finerTicks, ticks } from "./ticks.ts";
import { tiers } from "./tiers.ts";
import { tokenFiles } from "./token-files.ts";
import { toldAccounts } from "./told-accounts.ts";
import { toldFills } from "./told-fills.ts";
import { trailingStops } from "./trailing-stops.ts";
import { twoContracts } from "./two-contracts.ts";
import { twoSubs } from "./two-subs.ts";
import { unevenHistories } from "./uneven-histories.ts";
import { repeatedMovements } from "./used-ids.ts";
import { usedConditionalIds, usedOrderIds } from "./used-order-ids.ts";
import { webhookTargets } from "./webhook-targets.ts";
import { wrongTokens } from "./wrong-tokens.ts";
import { wrongValues } from "./wrong-values.ts";

/** In an exchange that trades the product, or either of them, and is as it needs it. */
interface Playable {
  readonly scene: Scene;
  readonly product?: Product;
  readonly needs?: (schedule: Schedule) => boolean;
  /** How often it is played beside the others of its set. */
  readonly weight?: number;
}

const isSandbox = ({ sandbox }: Schedule) => sandbox;
const isUnlimitedSandbox = ({ hasLimits, sandbox }: Schedule) => sandbox && !hasLimits;
const hasUsualSizes = ({ sizes }: Schedule) => sizes === undefined;

/** Scenes that are drawn together; one of each set may be played behind a step. */
export interface SceneSet {
  /** Of what it draws for a seed and for a step. */
  readonly keys: readonly [ofSeed: number, ofStep: number];
  /** Of a step, for each of a seed's scenes. */
  readonly rates: readonly number[];
  readonly scenes: Readonly<Record<string, Playable>>;
}

const EDGES: SceneSet = {
  keys: [0x428a2f98, 0x71374491],
  rates: [0, 0.08, 0.16, 0.24],
  scenes: {
    amounts: { scene: amounts, product: "spot" },
    caps: {
      scene: caps,
      product: "spot",
      needs: ({ hasAffiliates, sandbox }) => hasAffiliates && sandbox,
    },
    countdowns: { scene: countdowns },
    counts: {
      scene: counts,
      product: "contract",
      needs: ({ maxOpenOrders }) => maxOpenOrders !== undefined,
    },
    leverage: { scene: leverage, product: "contract" },
    liquidation: { scene: liquidation, product: "contract" },
    stops: { scene: stops, product: "contract" },
  },
};

/** What comes of several things one after the other, in an order and at times of their own. */
const STORIES: SceneSet = {
  keys: [0xb5c0fbcf, 0xe9b5dba5],
  rates: [0, 0.08, 0.16],
  scenes: {
    "spot amendments": { scene: amendments("spot"), product: "spot" },
    "contract amendments": { scene: amendments("contract"), product: "contract" },
    debts: { scene: debts, product: "spot", needs: ({ hasAffiliates }) => hasAffiliates },
    "raised caps": {
      scene: raisedCaps,
      product: "spot",
      needs: ({ hasAffiliates }) => hasAffiliates,
    },
    "draw limits": { scene: drawLimits, product: "contract", needs: isSandbox },
    "spot fees": { scene: ownFees("spot"), product: "spot" },
    "contract fees": { scene: ownFees("contract"), product: "contract" },
    "long spot rests": { scene: longRests("spot"), product: "spot", needs: isSandbox },
    "long contract rests": { scene: longRests("contract"), product: "contract", needs: isSandbox },
    ticks: { scene: ticks, product: "spot" },
    "trailing stops": { scene: trailingStops, product: "contract" },
    chains: { scene: chains, product: "spot", needs: ({ hasAffiliates }) => hasAffiliates },
  },
};

/** What needs many of a kind, or nobody beside it. */
const LIMITS: SceneSet = {
  keys: [0x3956c25b, 0x59f111f1],
  rates: [0, 0.08, 0.16, 0.24],
  scenes: {
    "held withdrawals": { scene: heldWithdrawals },
    keys: { scene: keys },
    pages: { scene: pages },
    quiet: { scene: quiet },
  },
};

/** What operators change, and what of two things of one account meets. */
const CHANGES: SceneSet = {
  keys: [0x59f111f1, 0x923f82a4],
  rates: [0, 0.08, 0.16, 0.24],
  scenes: {
    bands: { scene: bands, product: "spot" },
    "full books": { scene: fullBooks, product: "spot" },
    resumptions: { scene: resumptions, product: "spot" },
    "own orders": { scene: ownOrders, product: "spot" },
    "order lists": { scene: orderLists, product: "spot" },
    "told fills": { scene: toldFills, product: "spot" },
    "finer spot ticks": { scene: finerTicks("spot"), product: "spot" },
    "finer contract ticks": { scene: finerTicks("contract"), product: "contract" },
    "long silence": { scene: longSilence },
    "moved margins": { scene: movedMargins, product: "contract" },
  },
};

/** What orders place for themselves or for a position, and what ends with them. */
const CHILDREN: SceneSet = {
  keys: [0x72be5d74, 0x80deb1fe],
  rates: [0, 0.08, 0.16, 0.24],
  scenes: {
    attachments: { scene: attachments, product: "contract" },
    children: { scene: children, product: "contract" },
    closing: { scene: closing, product: "contract" },
  },
};

/** States of several accounts together that nobody comes into by chance. */
const MEETINGS: SceneSet = {
  keys: [0x550c7dc3, 0x9bdc06a7],
  rates: [0, 0.08, 0.16],
  scenes: {
    "hedged winners": { scene: hedgedWinners, product: "contract" },
    "middle affiliates": {
      scene: middleAffiliates,
      product: "spot",
      needs: ({ hasAffiliates }) => hasAffiliates,
    },
    "ranked candidates": { scene: rankedCandidates, product: "contract" },
    "settled holds": {
      scene: settledHolds,
      product: "spot",
      needs: ({ hasAffiliates }) => hasAffiliates,
    },
    "shared liquidations": { scene: sharedLiquidations, product: "contract" },
    "uneven histories": { scene: unevenHistories, product: "spot" },
  },
};

/** What is as large, as late or as many as it may be. */
const EXTREMES: SceneSet = {
  keys: [0xa831c66d, 0xb00327c8],
  rates: [0, 0.08, 0.16],
  scenes: {
    "full orders": { scene: fullOrders, product: "contract" },
    "left attachments": { scene: leftAttachments, product: "contract" },
    limits: { scene: limits, needs: ({ hasLimits }) => hasLimits },
    "spot repetitions": { scene: repetitions("spot"), product: "spot", needs: isSandbox },
    "contract repetitions": {
      scene: repetitions("contract"),
      product: "contract",
      needs: isSandbox,
    },
    "two subs": { scene: twoSubs, product: "spot", needs: ({ hasAffiliates }) => hasAffiliates },
  },
};

/** What a sandbox does to those who ask. */
const TROUBLES: SceneSet = {
  keys: [0x12835b01, 0x243185be],
  rates: [0.1, 0.3, 0.6],
  scenes: {
    "request faults": { scene: requestFaults, needs: isSandbox },
  },
};

/** What follows from time alone. */
const CLOCKS: SceneSet = {
  keys: [0x06ca6351, 0x14292967],
  rates: [0.08, 0.16, 0.32],
  scenes: {
    "clock speeds": { scene: clockSpeeds, needs: isSandbox },
  },
};

/** What a client of ours does alone, on a network of which everything is known. */
const CLIENT_CALLS: SceneSet = {
  keys: [0x1f67a3c9, 0x6d2be805],
  rates: [0, 0.016, 0.032],
  scenes: {
    "broken spot sessions": { scene: brokenSessions("spot"), product: "spot" },
    "broken contract sessions": { scene: brokenSessions("contract"), product: "contract" },
    "late spot answers": { scene: lateAnswers("spot"), product: "spot" },
    "late contract answers": { scene: lateAnswers("contract"), product: "contract" },
    "operator clients": { scene: operatorClients },
  },
};

/** What stands of a contract while something else changes beneath it. */
const STANDING: SceneSet = {
  keys: [0x2de92c6f, 0x4a7484aa],
  rates: [0, 0.048, 0.096],
  scenes: {
    "given prices": { scene: givenPrices, product: "contract" },
    "protected amendments": { scene: protectedAmendments, product: "contract" },
    tiers: { scene: tiers, product: "contract" },
  },
};

/** What must come in its order, whoever joins, waits or is put right in between. */
const TURNS: SceneSet = {
  keys: [0xc19bf174, 0xe49b69c1],
  rates: [0, 0.048, 0.096],
  scenes: {
    "corrected webhooks": { scene: correctedWebhooks },
    "late spot readers": { scene: lateReaders("spot"), product: "spot" },
    "late contract readers": { scene: lateReaders("contract"), product: "contract" },
    "spot socket faults": {
      scene: socketFaults("spot"),
      product: "spot",
      needs: isUnlimitedSandbox,
    },
    "contract socket faults": {
      scene: socketFaults("contract"),
      product: "contract",
      needs: isUnlimitedSandbox,
    },
  },
};

/** What operators and affiliates are told, and held to, of a whole month, list or ledger. */
const ACCOUNTS: SceneSet = {
  keys: [0x81c2c92e, 0x92722c85],
  rates: [0, 0.024, 0.048],
  scenes: {
    "rolling days": { scene: rollingDays, product: "spot", needs: isSandbox, weight: 3 },
    "spot affiliate pages": { scene: affiliatePages("spot"), product: "spot", weight: 2 },
    "contract affiliate pages": {
      ...{ scene: affiliatePages("contract"), product: "contract", weight: 2 },
    },
    "custody reports": { scene: custodyReports },
    "operator changes": { scene: operatorChanges },
  },
};

/** What else an account has that is liquidated, and what keeps that from it. */
const BESIDE_LIQUIDATIONS: SceneSet = {
  keys: [0xa2bfe8a1, 0xa81a664b],
  rates: [0, 0.032, 0.064],
  scenes: {
    "appended margins": { scene: appendedMargins, product: "contract" },
    "frozen holders": { scene: frozenHolders, product: "contract" },
    "halted contracts": { scene: haltedContracts, product: "contract" },
    "held liquidations": { scene: heldLiquidations, product: "contract", weight: 2 },
    "liquidated orders": { scene: liquidatedOrders, product: "contract" },
    "two contracts": { scene: twoContracts, product: "contract", weight: 2 },
  },
};

/** What is published of every call: who may make it, and how often. */
const PUBLISHED: SceneSet = {
  keys: [0x9bdc06a7, 0xc67178f2],
  rates: [0, 0.016, 0.032],
  scenes: {
    "published calls": { scene: publishedCalls },
    "published limits": {
      ...{ scene: publishedCalls, weight: 3 },
      needs: ({ hasLimits }) => hasLimits,
    },
    "published roles": { scene: publishedRoles },
  },
};

/** What a position owes, is protected by and has promised. */
const POSITIONS: SceneSet = {
  keys: [0xd807aa98, 0x83d30ca1],
  rates: [0, 0.048, 0.096],
  scenes: {
    "changed stops": { scene: changedStops, product: "contract" },
    fundings: { scene: fundings, product: "contract", needs: isSandbox },
    "protected takers": { scene: protectedTakers, product: "contract" },
  },
};

/** What an operator changes of the rules of a market, and puts back; what no rule allows. */
const RULES: SceneSet = {
  keys: [0xd192e819, 0xd6990624],
  rates: [0, 0.064, 0.128],
  scenes: {
    "changed contracts": { scene: changedContracts, product: "contract", weight: 2 },
    "changed spot rules": { scene: changedSpotRules, product: "spot" },
    "wrong values": { scene: wrongValues },
  },
};

/** What is wrong for a while, and must be right at once when it is put right. */
const PUT_RIGHT: SceneSet = {
  keys: [0xd76aa478, 0xe8c7b756],
  rates: [0, 0.032, 0.064],
  scenes: {
    "full spot disks": { scene: fullDisks("spot"), product: "spot", needs: hasUsualSizes },
    "full contract disks": {
      ...{ scene: fullDisks("contract"), product: "contract" },
      needs: hasUsualSizes,
    },
    "token files": { scene: tokenFiles },
    "wrong tokens": { scene: wrongTokens },
  },
};

/** Of which nothing may be left out, however much of it there is, and whoever is told of it. */
const WHOLE: SceneSet = {
  keys: [0x5b9cca4f, 0x682e6ff3],
  rates: [0, 0.016, 0.032],
  scenes: {
    "deep books": {
      ...{ scene: deepBooks, product: "spot" },
      // Who follows every change compares the whole book at each of them.
      needs: ({ followsEveryChange }) => !followsEveryChange,
    },
    "house scenarios": { scene: houseScenarios, product: "contract", needs: isSandbox, weight: 2 },
    "quiet spot channels": { scene: quietChannels("spot"), product: "spot" },
    "quiet contract channels": { scene: quietChannels("contract"), product: "contract" },
    "stream readers": { scene: streamReaders },
    "told spot accounts": { scene: toldAccounts("spot"), product: "spot" },
    "told contract accounts": { scene: toldAccounts("contract"), product: "contract" },
    "webhook targets": { scene: webhookTargets },
  },
};

/** What one rule, one rate or one slot alone decides. */
const SINGLE: SceneSet = {
  keys: [0x1b4f72d3, 0x6e90c8a5],
  rates: [0, 0.048, 0.096],
  scenes: {
    "lone spot rules": { scene: loneRules("spot"), product: "spot" },
    "lone contract rules": { scene: loneRules("contract"), product: "contract" },
    "raised rates": { scene: raisedRates, product: "contract" },
    "shared fundings": { scene: sharedFundings, product: "contract", needs: isSandbox },
  },
};

/** What counts of before: places and ids that are taken, what has ended, what was decided. */
const TAKEN: SceneSet = {
  keys: [0x47c5b1d3, 0x1be90a67],
  rates: [0, 0.032, 0.064],
  scenes: {
    "decided holds": {
      scene: decidedHolds,
      product: "spot",
      needs: ({ hasAffiliates }) => hasAffiliates,
      weight: 3,
    },
    "deep trees": {
      scene: deepTrees,
      product: "spot",
      needs: ({ hasAffiliates }) => hasAffiliates,
      weight: 2,
    },
    "full users": { scene: fullUsers },
    "repeated movements": { scene: repeatedMovements },
    "second version's orders": { scene: secondVersionOrders, product: "spot", weight: 2 },
    "used spot ids": { scene: usedOrderIds("spot"), product: "spot" },
    "used contract ids": { scene: usedOrderIds("contract"), product: "contract" },
    "used conditional ids": { scene: usedConditionalIds, product: "contract" },
  },
};

/** In the order in which they are played behind a step. */
export const SCENE_SETS: readonly SceneSet[] = [
  ...[EDGES, STORIES, LIMITS, CHANGES, CHILDREN, MEETINGS, EXTREMES, TROUBLES],
  ...[CLOCKS, CLIENT_CALLS, STANDING, TURNS, ACCOUNTS],
  ...[BESIDE_LIQUIDATIONS, PUBLISHED, POSITIONS, RULES, PUT_RIGHT, WHOLE, SINGLE, TAKEN],
];
