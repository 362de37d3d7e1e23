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
  registerUser: postOnce("users"),
  listUsers: get("users"),
  getUser: get("users/{uid}"),
  updateUser: patch("users/{uid}"),
  getBalances: get("users/{uid}/balances"),
  setFeeRates: put("users/{uid}/fee-rates"),
  getFeeRates: get("users/{uid}/fee-rates"),

  createApiKey: postOnce("users/{uid}/api-keys"),
  listApiKeysOfUser: get("users/{uid}/api-keys"),
  listApiKeys: get("api-keys"),
  getApiKey: get("api-keys/{apiKey}"),
  updateApiKey: patch("api-keys/{apiKey}"),
  revokeApiKey: remove("api-keys/{apiKey}"),

  makeDeposit: post("users/{uid}/deposits"),
  listDeposits: get("users/{uid}/deposits"),
  getDeposit: get("users/{uid}/deposits/{id}"),
  makeWithdrawal: post("users/{uid}/withdrawals"),
  listWithdrawals: get("users/{uid}/withdrawals"),
  getWithdrawal: get("users/{uid}/withdrawals/{id}"),
  makeTransfer: post("users/{uid}/transfers"),
  listTransfers: get("users/{uid}/transfers"),
  getTransfer: get("users/{uid}/transfers/{id}"),

  setAsset: put("assets/{asset}"),
  listAssets: get("assets"),
  getAsset: get("assets/{asset}"),

  setSpotMarket: put("markets/spot/{symbol}"),
  setSpotMarketState: patch("markets/spot/{symbol}"),
  listSpotMarkets: get("markets/spot"),
  getSpotMarket: get("markets/spot/{symbol}"),

  setContractMarket: put("markets/contract/{symbol}"),
  setContractMarketState: patch("markets/contract/{symbol}"),
  listContractMarkets: get("markets/contract"),
  getContractMarket: get("markets/contract/{symbol}"),

  setIndexPrice: put("index-prices/{symbol}"),
  listIndexPrices: get("index-prices"),
  getIndexPrice: get("index-prices/{symbol}"),
  pinMarkPrice: put("sandbox/mark-prices/{symbol}"),
  getMarkPrice: get("sandbox/mark-prices/{symbol}"),
  listMarkPrices: get("sandbox/mark-prices"),

  getInsurance: get("insurance/{asset}"),
  makeInsuranceDeposit: post("insurance/{asset}/deposits"),
  listInsuranceDeposits: get("insurance/{asset}/deposits"),
  getInsuranceDeposit: get("insurance/{asset}/deposits/{id}"),
  makeInsuranceWithdrawal: post("insurance/{asset}/withdrawals"),
  listInsuranceWithdrawals: get("insurance/{asset}/withdrawals"),
  getInsuranceWithdrawal: get("insurance/{asset}/withdrawals/{id}"),

  listOpenInterest: get("open-interest"),
  listPositions: get("positions"),

  setAffiliate: put("affiliates/{uid}"),
  listAffiliates: get("affiliates"),
  getAffiliate: get("affiliates/{uid}"),
  setAffiliatePolicy: put("affiliate-policy"),
  getAffiliatePolicy: get("affiliate-policy"),
  listStatementHeads: get("affiliates/{uid}/statement-heads"),

  listHeldCommissions: get("commissions"),
  getCommission: get("commissions/{commissionId}"),
  releaseCommission: postOnce("commissions/{commissionId}/releases"),
  listCommissionReleases: get("commissions/{commissionId}/releases"),
  reverseCommission: postOnce("commissions/{commissionId}/reversals"),
  listCommissionReversals: get("commissions/{commissionId}/reversals"),
  settleCommissions: postOnce("commission-settlements"),
  listWaitingForSettlement: get("commission-settlements"),
  compareCommissionRates: post("commission-what-if"),

  getInvariants: get("invariants"),
  getStatus: get("status"),
  makeSnapshot: postOnce("snapshots"),
  listSnapshots: get("snapshots"),
  getSnapshot: get("snapshots/{sequence}"),
  listAudit: get("audit"),
  advanceClock: postOnce("sandbox/clock/advance"),
  getClock: get("sandbox/clock"),
};

export type OperatorCallId = keyof typeof OPERATOR_CALLS;
