/**
 * Every call of the operator API: its method, its path (names in braces, as OpenAPI writes them),
 * whether it may be sent twice, and who may make it. `repeat` is about a lost response: "safe" is a
 * read, or a write whose second arrival changes nothing more; "never" could happen twice. No
 * schemas here: a page that takes this table stays small.
 */
import { OPERATOR_ROLES, type OperatorRole } from "../../domain/index.ts";

export interface OperatorCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly repeat: "safe" | "never";
  /** Besides administrators. */
  readonly roles: readonly OperatorRole[];
}

type Roles = readonly OperatorRole[];

function row(
  method: OperatorCall["method"],
  path: string,
  roles: Roles,
  repeat: OperatorCall["repeat"] = "safe",
): OperatorCall {
  return { method, path: `/operator/v1/${path}`, repeat, roles };
}

const get = (path: string) => row("GET", path, OPERATOR_ROLES);
const put = (path: string, ...roles: Roles) => row("PUT", path, roles);
const patch = (path: string, ...roles: Roles) => row("PATCH", path, roles);
const remove = (path: string, ...roles: Roles) => row("DELETE", path, roles);
/** Changes nothing, or carries an id that makes it happen once. */
const post = (path: string, ...roles: Roles) => row("POST", path, roles);
const postOnce = (path: string, ...roles: Roles) => row("POST", path, roles, "never");

export const OPERATOR_CALLS = {
  /** Register a user, optionally with an invite code. */
  registerUser: postOnce("users", "support"),
  /** List users by uid. */
  listUsers: get("users"),
  /** Get a user. */
  getUser: get("users/{uid}"),
  /** Change a user's state and settings; omitted fields keep their values. */
  updateUser: patch("users/{uid}", "support", "risk"),
  /** Get a user's spot balances of all assets and contract balances of all margin assets. */
  getBalances: get("users/{uid}/balances"),
  /** Set a user's own fee rates for a product or a symbol; they apply to new orders. */
  setFeeRates: put("users/{uid}/fee-rates", "markets"),
  /** Get a user's own fee rates; without any, the markets' rates apply. */
  getFeeRates: get("users/{uid}/fee-rates"),

  /** List a user's open orders of both products, conditional orders included. */
  listOpenOrders: get("users/{uid}/open-orders"),
  /** List a user's ended spot or contract orders, newest first; `next` is the next page. */
  listEndedOrders: get("users/{uid}/ended-orders"),
  /** List a user's open positions. */
  listPositionsOfUser: get("users/{uid}/positions"),
  /**
   * Find users, API keys and orders by a uid, an API key or its beginning, an order id or a client
   * order id.
   */
  search: get("search/{text}"),

  /** Create an API key; only this response shows the secret. */
  createApiKey: postOnce("users/{uid}/api-keys", "support"),
  /** List the settings of a user's API keys, without secrets. */
  listApiKeysOfUser: get("users/{uid}/api-keys"),
  /** List the settings of all API keys, without secrets. */
  listApiKeys: get("api-keys"),
  /** Get the settings of an API key, without its secret. */
  getApiKey: get("api-keys/{apiKey}"),
  /** Change the settings of an API key at once; omitted fields keep their values. */
  updateApiKey: patch("api-keys/{apiKey}", "support"),
  /** Revoke an API key; requests that arrive after the response are rejected. */
  revokeApiKey: remove("api-keys/{apiKey}", "support", "risk"),

  /** Need a second operator for something above an amount, or for roles; null ends the rule. */
  setApprovalRule: post("approval-rules"),
  /** List what needs a second operator. */
  listApprovalRules: get("approval-rules"),
  /** List what waits for a second operator and what was lately decided, newest first. */
  listProposals: get("proposals"),
  /** Get a proposal that waits or was lately decided. */
  getProposal: get("proposals/{proposalId}"),
  /** Approve or reject another operator's proposal; needs a role that may make the call itself. */
  decideProposal: patch("proposals/{proposalId}", "treasury"),
  /** Add an operator; only this response shows the token. */
  addOperator: postOnce("operators"),
  /** List operators by name, removed ones included. */
  listOperators: get("operators"),
  /** Get an operator. */
  getOperator: get("operators/{name}"),
  /** Change an operator's role and expiry at once; omitted fields keep their values. */
  updateOperator: patch("operators/{name}"),
  /**
   * Give an operator a new token; the old one is rejected from then on. Only this
   * response shows the token.
   */
  rotateToken: postOnce("operators/{name}/token"),
  /** Remove an operator; the token is rejected from then on, and the name is not used again. */
  removeOperator: remove("operators/{name}"),
  /** Get the caller's own name, role and expiry. */
  getCaller: get("caller"),

  /** Make a deposit; repeating an id returns the first response. */
  makeDeposit: post("users/{uid}/deposits", "treasury"),
  /** List a user's deposits, oldest first. */
  listDeposits: get("users/{uid}/deposits"),
  /** Get a deposit by its id, with the resulting balance. */
  getDeposit: get("users/{uid}/deposits/{id}"),
  /** Make a withdrawal; repeating an id returns the first response. */
  makeWithdrawal: post("users/{uid}/withdrawals", "treasury"),
  /** List a user's withdrawals, oldest first. */
  listWithdrawals: get("users/{uid}/withdrawals"),
  /** Get a withdrawal by its id, with the resulting balance. */
  getWithdrawal: get("users/{uid}/withdrawals/{id}"),
  /** Move funds between a user's accounts; repeating an id returns the first response. */
  makeTransfer: post("users/{uid}/transfers", "treasury"),
  /** List a user's transfers, oldest first. */
  listTransfers: get("users/{uid}/transfers"),
  /** Get a transfer by its id, with the resulting balance. */
  getTransfer: get("users/{uid}/transfers/{id}"),

  /**
   * Replace the rules of an asset's withdrawals. Omitted: enabled, no fee, no daily limit, holds of
   * 24 hours. An asset without rules has no withdrawals.
   */
  setWithdrawalRules: put("withdrawal-rules/{asset}", "treasury"),
  /** List the rules of withdrawals by asset. */
  listWithdrawalRules: get("withdrawal-rules"),
  /** Get the rules of an asset's withdrawals. */
  getWithdrawalRules: get("withdrawal-rules/{asset}"),
  /** Add an address to a user's address book; a known one answers its entry. */
  addWithdrawalAddress: post("users/{uid}/withdrawal-addresses", "treasury", "support"),
  /** List a user's address book, oldest first; at most 100. */
  listWithdrawalAddresses: get("users/{uid}/withdrawal-addresses"),
  /** Remove an address from a user's address book; open withdrawals to it stay. */
  removeWithdrawalAddress: remove(
    "users/{uid}/withdrawal-addresses/{addressId}",
    "treasury",
    "support",
  ),
  /**
   * Request a withdrawal to an address of the user's book; the amount is frozen until it is
   * decided. Repeating an id returns the first answer.
   */
  requestWithdrawal: post("withdrawal-requests", "treasury", "support"),
  /** List withdrawals, of one user or in one state, oldest first. */
  listWithdrawalRequests: get("withdrawal-requests"),
  /** Get a withdrawal with its steps: who took each, when and why. */
  getWithdrawalRequest: get("withdrawal-requests/{withdrawalId}"),
  /**
   * Take a withdrawal one step further: approved or rejected, sent (the note is the external
   * reference), done or failed. Repeating an id returns the first answer.
   */
  setWithdrawalState: patch("withdrawal-requests/{withdrawalId}", "treasury"),

  /** Set how many confirmations a deposit of an asset over a network needs. */
  setDepositRules: put("deposit-rules/{asset}/{network}", "treasury"),
  /** Get how many confirmations a deposit of an asset over a network needs. */
  getDepositRules: get("deposit-rules/{asset}/{network}"),
  /** List how many confirmations deposits need, by asset and network. */
  listDepositRules: get("deposit-rules"),
  /**
   * Report a deposit with its confirmations, as often as you like; with enough of them it is
   * credited, once.
   */
  reportDeposit: post("deposit-reports", "treasury"),
  /** List reported deposits, of one user or in one state, oldest first. */
  listDepositReports: get("deposit-reports"),
  /** Get a reported deposit as it is now. */
  getDepositReport: get("deposit-reports/{depositId}"),
  /** Drop a pending deposit that will not arrive. */
  dropDeposit: remove("deposit-reports/{depositId}", "treasury"),

  /** Create a webhook; only this response shows the secret. */
  createWebhook: postOnce("webhooks"),
  /** List webhooks in the order in which they were created; at most 20. */
  listWebhooks: get("webhooks"),
  /** Get a webhook: its settings, and how far it was told. */
  getWebhook: get("webhooks/{webhookId}"),
  /** Change a webhook, pause or resume it; omitted fields keep their values. */
  updateWebhook: patch("webhooks/{webhookId}"),
  /** Remove a webhook; what it was not told yet is never sent. */
  removeWebhook: remove("webhooks/{webhookId}"),
  /**
   * Give a webhook a new secret, which signs from then on; only this response shows it. With
   * `after` it goes on after that event.
   */
  renewWebhookSecret: postOnce("webhooks/{webhookId}/secret"),
  /** Send a test without events, once, and wait for how it went. */
  testWebhook: postOnce("webhooks/{webhookId}/tests", "support", "treasury"),
  /** Send one event again, once, and wait for how it went. */
  redeliverWebhookEvent: postOnce("webhooks/{webhookId}/redeliveries", "support", "treasury"),
  /** List the last 1000 deliveries of a webhook, newest first. */
  listWebhookDeliveries: get("webhooks/{webhookId}/deliveries"),

  /** Report what custody holds, and compare it with what the exchange owes now. */
  reportCustodyBalances: post("custody/balances", "treasury"),
  /** Get the last comparison of custody with the exchange; empty before the first. */
  getCustodyBalances: get("custody/balances"),

  /** List or change an asset; its scale cannot change once in use. */
  setAsset: put("assets/{asset}", "markets"),
  /** List assets by name. */
  listAssets: get("assets"),
  /** Get an asset. */
  getAsset: get("assets/{asset}"),

  /**
   * List a spot market or change its rules. Only assets, tick and step are required: other fields
   * have defaults in a new market and keep their values in an existing one.
   */
  setSpotMarket: put("markets/spot/{symbol}", "markets"),
  /** Set a spot market to trading, cancel-only or halted. */
  setSpotMarketState: patch("markets/spot/{symbol}", "markets", "risk"),
  /** List spot markets by symbol. */
  listSpotMarkets: get("markets/spot"),
  /** Get a spot market. */
  getSpotMarket: get("markets/spot/{symbol}"),

  /**
   * List a contract market or change its rules. Only assets, tick, step and tiers are required:
   * other fields have defaults in a new market and keep their values in an existing one. With
   * --sandbox the default of indexStaleMs is 0: the index is never stale.
   */
  setContractMarket: put("markets/contract/{symbol}", "markets"),
  /** Set a contract market to trading, cancel-only or halted. */
  setContractMarketState: patch("markets/contract/{symbol}", "markets", "risk"),
  /** List contract markets by symbol. */
  listContractMarkets: get("markets/contract"),
  /** Get a contract market. */
  getContractMarket: get("markets/contract/{symbol}"),

  /**
   * Set the index price of a contract, rounded to its tick. From then on the index no longer
   * follows the spot market. A price further than indexStepLimit from the last one needs force,
   * unless the index is stale. Triggers and liquidations run before the response.
   */
  setIndexPrice: put("index-prices/{symbol}", "markets", "risk"),
  /** List the index prices of all contracts by symbol. */
  listIndexPrices: get("index-prices"),
  /** Get the index price of a contract; liquidations are suspended while it is stale. */
  getIndexPrice: get("index-prices/{symbol}"),
  /**
   * Pin the mark price of a contract; null unpins it. Triggers and liquidations run before the
   * response. Needs --sandbox; returns 409 otherwise.
   */
  pinMarkPrice: put("sandbox/mark-prices/{symbol}"),
  /**
   * Get the pinned mark price of a contract; null when it is not pinned. Needs --sandbox; answers
   * 409 otherwise.
   */
  getMarkPrice: get("sandbox/mark-prices/{symbol}"),
  /**
   * List the mark prices of all contracts and whether they are pinned, by symbol. Needs --sandbox;
   * returns 409 otherwise.
   */
  listMarkPrices: get("sandbox/mark-prices"),

  /** Get the balance of an insurance fund. */
  getInsurance: get("insurance/{asset}"),
  /** Make an insurance fund deposit; repeating an id returns the first response. */
  makeInsuranceDeposit: post("insurance/{asset}/deposits", "treasury"),
  /** List the deposits of an insurance fund, oldest first. */
  listInsuranceDeposits: get("insurance/{asset}/deposits"),
  /** Get an insurance fund deposit by its id, with the resulting balance. */
  getInsuranceDeposit: get("insurance/{asset}/deposits/{id}"),
  /** Make an insurance fund withdrawal; repeating an id returns the first response. */
  makeInsuranceWithdrawal: post("insurance/{asset}/withdrawals", "treasury"),
  /** List the withdrawals of an insurance fund, oldest first. */
  listInsuranceWithdrawals: get("insurance/{asset}/withdrawals"),
  /** Get an insurance fund withdrawal by its id, with the resulting balance. */
  getInsuranceWithdrawal: get("insurance/{asset}/withdrawals/{id}"),

  /** List the open interest of all contract markets by symbol. */
  listOpenInterest: get("open-interest"),
  /**
   * List open positions of all users in one market or all, closest to liquidation first, positions
   * without a liquidation price last.
   */
  listPositions: get("positions"),

  /**
   * Make a user an affiliate, or change its rates for new fills. A parent affiliate can be set
   * once, at any time, and never changes.
   */
  setAffiliate: put("affiliates/{uid}", "support"),
  /** List affiliates by uid. */
  listAffiliates: get("affiliates"),
  /** Get an affiliate: place in the tree, rates and balances. */
  getAffiliate: get("affiliates/{uid}"),
  /**
   * Replace the affiliate policy; omitted rules are off. The cap is in USDT per affiliate and
   * referred user over 30 UTC days; held commissions wait for their release.
   */
  setAffiliatePolicy: put("affiliate-policy", "treasury"),
  /** Get the affiliate policy. */
  getAffiliatePolicy: get("affiliate-policy"),
  /**
   * List the head of an affiliate's hash chain for each UTC day with entries, oldest first, from
   * `fromDay`; `next` is the `fromDay` of the next page. Publish the complete ones.
   */
  listStatementHeads: get("affiliates/{uid}/statement-heads"),

  /** List held commissions of all affiliates or of one, oldest first. */
  listHeldCommissions: get("commissions"),
  /** Get a commission or reversal: its fill, fee, rates and outcome. */
  getCommission: get("commissions/{commissionId}"),
  /** Release a held commission; the next settlement pays it. */
  releaseCommission: postOnce("commissions/{commissionId}/releases", "treasury"),
  /** List the release of a commission (at most one). */
  listCommissionReleases: get("commissions/{commissionId}/releases"),
  /**
   * Reverse a commission by an entry of the opposite amount: from the payable balance, then from
   * the spot wallet; the rest is deducted from later settlements.
   */
  reverseCommission: postOnce("commissions/{commissionId}/reversals", "treasury"),
  /** List the reversal of a commission (at most one). */
  listCommissionReversals: get("commissions/{commissionId}/reversals"),
  /** Settle payable commissions now instead of at the next full hour. */
  settleCommissions: postOnce("commission-settlements", "treasury"),
  /**
   * List what the next settlement pays or deducts, by affiliate and asset. A page covers `limit`
   * affiliates and leaves out those without an amount.
   */
  listWaitingForSettlement: get("commission-settlements"),
  /**
   * Compare the commissions of a past period with those at other rates, before caps, holds and
   * reversals. At most 90 days and 2000000 sides of fills.
   */
  compareCommissionRates: post("commission-what-if", ...OPERATOR_ROLES),

  /** Check the invariants now, and get the totals per asset, which sum to zero. */
  getInvariants: get("invariants"),
  /** Get sequence, exchange time, counts and the state of the process. */
  getStatus: get("status"),
  /** Get the nodes of the cluster and of its PostgreSQL, as the asked node sees them. */
  getCluster: get("cluster"),
  /** Give the lead to a node; responds when it leads. */
  promoteNode: post("cluster/promote"),
  /**
   * Start a process of `rialto cluster demo` that has ended; responds when it serves. If it runs,
   * the response is the same.
   */
  startDemoProcess: post("cluster/demo/start"),
  /** List how the process did in the last half hour, every five seconds, oldest first. */
  listHealthSamples: get("health-samples"),
  /** Make a snapshot; responds when it is durable. */
  makeSnapshot: postOnce("snapshots"),
  /** List the kept snapshots, oldest first. */
  listSnapshots: get("snapshots"),
  /** Get a snapshot by its sequence. */
  getSnapshot: get("snapshots/{sequence}"),
  /**
   * List all changes made through the operator API and by whom, oldest first; with `before` or a
   * filter newest first, and `next` is then the `before` of the next page. With a filter a page may
   * have fewer entries than `limit`, even none, and still have a `next`.
   */
  listAudit: get("audit"),
  /**
   * Advance exchange time; everything due in between happens, and time continues from there. Needs
   * --sandbox; returns 409 otherwise.
   */
  advanceClock: postOnce("sandbox/clock/advance"),
  /**
   * Freeze exchange time, let it run faster or slower, or set it forward. Needs --sandbox; answers
   * 409 otherwise.
   */
  setClock: postOnce("sandbox/clock"),
  /**
   * Get exchange time, how far it was advanced, and its speed. Needs --sandbox; returns 409
   * otherwise.
   */
  getClock: get("sandbox/clock"),

  /**
   * Set a fault rule for the requests and stream messages that it matches. It replaces a rule with
   * the same id and restarts its count. Needs --sandbox; returns 409 otherwise.
   */
  setFault: put("sandbox/faults/{id}"),
  /**
   * List the fault rules in the order in which they apply, with their hits. Needs --sandbox;
   * returns 409 otherwise.
   */
  listFaults: get("sandbox/faults"),
  /** Get a fault rule with its hits. Needs --sandbox; returns 409 otherwise. */
  getFault: get("sandbox/faults/{id}"),
  /**
   * Remove a fault rule; it no longer applies to requests that arrive after the response. Needs
   * --sandbox; returns 409 otherwise.
   */
  removeFault: remove("sandbox/faults/{id}"),
  /** Remove all fault rules. Needs --sandbox; returns 409 otherwise. */
  clearFaults: remove("sandbox/faults"),
  /**
   * List the last 10,000 requests over HTTP and the trading WebSocket, oldest first; `next` is the
   * `after` of the next page. Needs --sandbox; returns 409 otherwise.
   */
  listRequests: get("sandbox/requests"),
  /**
   * Wait until everything that has happened is in the history and has been sent on all streams; at
   * most 10 seconds. Needs --sandbox; returns 409 otherwise.
   */
  waitUntilQuiet: get("sandbox/quiet"),
  /**
   * Save the current state, history and clock under a name. Needs --sandbox; returns 409 otherwise.
   */
  makeCheckpoint: postOnce("sandbox/checkpoints"),
  /** List checkpoints, oldest first. Needs --sandbox; returns 409 otherwise. */
  listCheckpoints: get("sandbox/checkpoints"),
  /** Remove a checkpoint. Needs --sandbox; returns 409 otherwise. */
  removeCheckpoint: remove("sandbox/checkpoints/{name}"),
  /**
   * Go back to a checkpoint: state, history, ids, keys and clock. Connections stay open; streams
   * start anew. Needs --sandbox; returns 409 otherwise.
   */
  restoreCheckpoint: postOnce("sandbox/restore"),
  /**
   * Go back to the state right after the start, or to the one set with PUT. Needs --sandbox;
   * returns 409 otherwise.
   */
  resetExchange: postOnce("sandbox/reset"),
  /** Make a reset go back to the current state. Needs --sandbox; returns 409 otherwise. */
  markResetState: put("sandbox/reset"),

  /**
   * Replace the house's orders with exactly this book. Users' orders stay, or are filled if the
   * book crosses them. Without `product`, the spot market is meant, or the contract if there is
   * none. Needs --sandbox; returns 409 otherwise.
   */
  makeBook: post("sandbox/markets/{symbol}/book"),
  /** Get the house's orders in a market. Needs --sandbox; returns 409 otherwise. */
  getBook: get("sandbox/markets/{symbol}/book"),
  /**
   * Cancel the house's orders in a market; the demo's makers return. Needs --sandbox; returns 409
   * otherwise.
   */
  clearBook: remove("sandbox/markets/{symbol}/book"),
  /**
   * Move the last price of a market by trades of the house, at once or over time, or pin the mark
   * price of a contract with `mark`; null unpins it. Responds when the price is reached. Needs
   * --sandbox; returns 409 otherwise.
   */
  movePrice: postOnce("sandbox/markets/{symbol}/price"),
  /**
   * Set a contract's next funding rate, from -1 to 1, even above its cap; null removes it. Needs
   * --sandbox; returns 409 otherwise.
   */
  setFundingRate: post("sandbox/markets/{symbol}/funding"),
  /**
   * Get a contract's next funding rate as currently estimated, and the last one. Needs --sandbox;
   * returns 409 otherwise.
   */
  getFundingRate: get("sandbox/markets/{symbol}/funding"),
  /**
   * Have the house quote a market by a liquidity model until a book is made or cleared there. The
   * demo's makers leave the market meanwhile. Needs --sandbox; returns 409 otherwise.
   */
  setLiquidity: put("sandbox/markets/{symbol}/liquidity"),
  /**
   * Get the liquidity model of a market; null if there is none. Needs --sandbox; returns 409
   * otherwise.
   */
  getLiquidity: get("sandbox/markets/{symbol}/liquidity"),
  /**
   * Run a scenario, such as a liquidation or a crash, with ordinary prices and orders; returns what
   * was done. Without `symbol`, the user's contract position nearest to liquidation is used. Needs
   * --sandbox; returns 409 otherwise.
   */
  triggerScenario: postOnce("sandbox/trigger"),
  /**
   * Begin a replay of a recorded market: registers and funds its two accounts, one that owns the
   * recorded orders and one that executes them. Needs --sandbox; returns 409 otherwise.
   */
  beginReplay: postOnce("sandbox/replays"),
  /**
   * Apply up to 1,000 recorded messages, in order and with nothing in between. Needs --sandbox;
   * returns 409 otherwise.
   */
  applyRecorded: postOnce("sandbox/replays/{uid}/messages"),
  /** List running replays and what other users filled. Needs --sandbox; returns 409 otherwise. */
  listReplays: get("sandbox/replays"),
  /** Get what other users filled since a replay began. Needs --sandbox; returns 409 otherwise. */
  getReplay: get("sandbox/replays/{uid}"),
  /** End a replay; its orders stay in the book. Needs --sandbox; returns 409 otherwise. */
  endReplay: remove("sandbox/replays/{uid}"),
};

export type OperatorCallId = keyof typeof OPERATOR_CALLS;
