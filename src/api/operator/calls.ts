/**
 * Every call of the operator API: its method, its path (names in braces, as OpenAPI writes them)
 * and whether it may be sent twice. `repeat` is about an answer that was lost: "safe" is a read, or
 * a write whose second arrival changes nothing more; "never" could happen twice. No schemas here:
 * a page that takes this table stays small.
 */
export interface OperatorCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly repeat: "safe" | "never";
}

function row(
  method: OperatorCall["method"],
  path: string,
  repeat: OperatorCall["repeat"] = "safe",
): OperatorCall {
  return { method, path: `/operator/v1/${path}`, repeat };
}

const get = (path: string) => row("GET", path);
const put = (path: string) => row("PUT", path);
const patch = (path: string) => row("PATCH", path);
const remove = (path: string) => row("DELETE", path);
/** Changes nothing, or carries an id that makes it happen once. */
const post = (path: string) => row("POST", path);
const postOnce = (path: string) => row("POST", path, "never");

export const OPERATOR_CALLS = {
  /** Register a user, perhaps as the invitee of the owner of an invite code. */
  registerUser: postOnce("users"),
  /** All users, in order of uid. */
  listUsers: get("users"),
  /** One user. */
  getUser: get("users/{uid}"),
  /** Change a user's state and settings; what is not given stays. */
  updateUser: patch("users/{uid}"),
  /**
   * A user's spot balances of every listed asset, and contract balances of every margin asset.
   */
  getBalances: get("users/{uid}/balances"),
  /** A user's own fee rates for a product or one symbol, for orders placed afterwards. */
  setFeeRates: put("users/{uid}/fee-rates"),
  /** A user's own fee rates; an empty list means those of the markets. */
  getFeeRates: get("users/{uid}/fee-rates"),

  /** Create an API key; the secret is shown in this answer and never again. */
  createApiKey: postOnce("users/{uid}/api-keys"),
  /** The settings of a user's API keys, in order of the key; never their secrets. */
  listApiKeysOfUser: get("users/{uid}/api-keys"),
  /** The settings of all API keys, in order of the key; never their secrets. */
  listApiKeys: get("api-keys"),
  /** The settings of an API key; never its secrets. */
  getApiKey: get("api-keys/{apiKey}"),
  /** Change the settings of an API key, in force with the answer; what is not given stays. */
  updateApiKey: patch("api-keys/{apiKey}"),
  /** Revoke an API key: no request that arrives after the answer is let in with it. */
  revokeApiKey: remove("api-keys/{apiKey}"),

  /** Make a deposit; a repeated id gets the first answer again. */
  makeDeposit: post("users/{uid}/deposits"),
  /** A user's deposits, oldest first. */
  listDeposits: get("users/{uid}/deposits"),
  /** One deposit by its id, with the balance of its answer. */
  getDeposit: get("users/{uid}/deposits/{id}"),
  /** Make a withdrawal; a repeated id gets the first answer again. */
  makeWithdrawal: post("users/{uid}/withdrawals"),
  /** A user's withdrawals, oldest first. */
  listWithdrawals: get("users/{uid}/withdrawals"),
  /** One withdrawal by its id, with the balance of its answer. */
  getWithdrawal: get("users/{uid}/withdrawals/{id}"),
  /** Move funds between a user's accounts; a repeated id gets the first answer again. */
  makeTransfer: post("users/{uid}/transfers"),
  /** A user's transfers, oldest first. */
  listTransfers: get("users/{uid}/transfers"),
  /** One transfer by its id, with the balance of its answer. */
  getTransfer: get("users/{uid}/transfers/{id}"),

  /** List an asset or change it; its scale is fixed once it was used. */
  setAsset: put("assets/{asset}"),
  /** All assets, in order of name. */
  listAssets: get("assets"),
  /** One asset. */
  getAsset: get("assets/{asset}"),

  /**
   * List a spot market or change its rules. Only assets, tick and step are needed: the rest has
   * defaults in a new market and stays as it is in one that exists.
   */
  setSpotMarket: put("markets/spot/{symbol}"),
  /** Let a spot market trade, take cancels only, or halt it. */
  setSpotMarketState: patch("markets/spot/{symbol}"),
  /** All spot markets, in order of symbol. */
  listSpotMarkets: get("markets/spot"),
  /** One spot market. */
  getSpotMarket: get("markets/spot/{symbol}"),

  /**
   * List a contract market or change its rules. Only assets, tick, step and tiers are needed: the
   * rest has defaults in a new market and stays as it is in one that exists. With --sandbox the
   * default of indexStaleMs is 0, which is never.
   */
  setContractMarket: put("markets/contract/{symbol}"),
  /** Let a contract market trade, take cancels only, or halt it. */
  setContractMarketState: patch("markets/contract/{symbol}"),
  /** All contract markets, in order of symbol. */
  listContractMarkets: get("markets/contract"),
  /** One contract market. */
  getContractMarket: get("markets/contract/{symbol}"),

  /**
   * Set the index of a contract, rounded to its tick. From the first one on the index is no
   * longer derived from the spot market. Further from the last one than indexStepLimit a price is
   * refused without force, except by a stale index. Triggers and liquidations are done before the
   * answer.
   */
  setIndexPrice: put("index-prices/{symbol}"),
  /** The index of every contract, in order of symbol. */
  listIndexPrices: get("index-prices"),
  /** The index of one contract; liquidations wait while it is stale. */
  getIndexPrice: get("index-prices/{symbol}"),
  /**
   * Hold the mark of a contract at a price, until null lets it go. Triggers and liquidations are
   * done before the answer. Only with --sandbox; refused with 409 otherwise.
   */
  pinMarkPrice: put("sandbox/mark-prices/{symbol}"),
  /**
   * The price at which the mark of a contract is held, null when it follows its rule. Only with
   * --sandbox; refused with 409 otherwise.
   */
  getMarkPrice: get("sandbox/mark-prices/{symbol}"),
  /**
   * The mark of every contract and whether it is held, in order of symbol. Only with --sandbox;
   * refused with 409 otherwise.
   */
  listMarkPrices: get("sandbox/mark-prices"),

  /** The balance of an insurance fund. */
  getInsurance: get("insurance/{asset}"),
  /** Make a deposit of an insurance fund; a repeated id gets the first answer again. */
  makeInsuranceDeposit: post("insurance/{asset}/deposits"),
  /** The deposits of an insurance fund, oldest first. */
  listInsuranceDeposits: get("insurance/{asset}/deposits"),
  /** One deposit of an insurance fund by its id, with the balance of its answer. */
  getInsuranceDeposit: get("insurance/{asset}/deposits/{id}"),
  /** Make a withdrawal of an insurance fund; a repeated id gets the first answer again. */
  makeInsuranceWithdrawal: post("insurance/{asset}/withdrawals"),
  /** The withdrawals of an insurance fund, oldest first. */
  listInsuranceWithdrawals: get("insurance/{asset}/withdrawals"),
  /** One withdrawal of an insurance fund by its id, with the balance of its answer. */
  getInsuranceWithdrawal: get("insurance/{asset}/withdrawals/{id}"),

  /** What is open in every contract market, in order of symbol. */
  listOpenInterest: get("open-interest"),
  /**
   * Open positions of all users, in one market or all, nearest to liquidation first; those that
   * no price liquidates last.
   */
  listPositions: get("positions"),

  /**
   * Make a user an affiliate, or change the rates for fills from now on. A parent affiliate is
   * given once, then or later, and never changed.
   */
  setAffiliate: put("affiliates/{uid}"),
  /** All affiliates, in order of uid. */
  listAffiliates: get("affiliates"),
  /** One affiliate: place in the tree, rates, and what is to be paid. */
  getAffiliate: get("affiliates/{uid}"),
  /**
   * Set the whole policy; what is not given is off. The cap is in USDT for each affiliate and
   * referred user over 30 UTC days; what is held waits until it is released.
   */
  setAffiliatePolicy: put("affiliate-policy"),
  /** The policy as it is in force. */
  getAffiliatePolicy: get("affiliate-policy"),
  /**
   * The end of an affiliate's hash chain on each UTC day on which it grew, oldest first, from
   * `fromDay` on; `next` is the `fromDay` of the following page. Publish complete ones.
   */
  listStatementHeads: get("affiliates/{uid}/statement-heads"),

  /** Commissions that are held, of all affiliates or of one, oldest first. */
  listHeldCommissions: get("commissions"),
  /** One commission or reversal: its fill, fee, rates, and what became of it. */
  getCommission: get("commissions/{commissionId}"),
  /** Let go of a commission that is held: the next settlement pays it. */
  releaseCommission: postOnce("commissions/{commissionId}/releases"),
  /** The release of a commission: one at most. */
  listCommissionReleases: get("commissions/{commissionId}/releases"),
  /**
   * Take a commission back by an entry of the opposite amount: out of what waits for settlement,
   * then out of the spot wallet; the rest is kept back from later settlements.
   */
  reverseCommission: postOnce("commissions/{commissionId}/reversals"),
  /** The reversal of a commission: one at most. */
  listCommissionReversals: get("commissions/{commissionId}/reversals"),
  /** Pay what waits for settlement now instead of at the next full hour. */
  settleCommissions: postOnce("commission-settlements"),
  /**
   * What the next settlement pays or keeps back, by affiliate and asset. A page covers `limit`
   * affiliates, of which those that wait for nothing are left out.
   */
  listWaitingForSettlement: get("commission-settlements"),
  /**
   * What commissions over a past period would have come to with other rates, before caps, holds
   * and reversals. At most 90 days and 2000000 sides of fills.
   */
  compareCommissionRates: post("commission-what-if"),

  /** What must always hold, checked now, and the totals per asset: they sum to zero. */
  getInvariants: get("invariants"),
  /** Sequence, exchange time, counts, and what the process says of itself. */
  getStatus: get("status"),
  /** Make a snapshot; answered when it is on stable storage. */
  makeSnapshot: postOnce("snapshots"),
  /** The snapshots that are kept, oldest first. */
  listSnapshots: get("snapshots"),
  /** One snapshot by its sequence. */
  getSnapshot: get("snapshots/{sequence}"),
  /**
   * What was done over this plane and by whom, oldest first; with `before` newest first, and
   * `next` is then the `before` of the following page.
   */
  listAudit: get("audit"),
  /**
   * Exchange time jumps ahead, what is due happens, and real time goes on from there. Only with
   * --sandbox; refused with 409 otherwise.
   */
  advanceClock: postOnce("sandbox/clock/advance"),
  /**
   * Exchange time, and how far it is ahead of the wall clock. Only with --sandbox; refused with
   * 409 otherwise.
   */
  getClock: get("sandbox/clock"),
};

export type OperatorCallId = keyof typeof OPERATOR_CALLS;
