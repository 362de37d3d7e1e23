/**
 * The calls of the operator API as they are published, written down a second time: who may make
 * each. An administrator may make all, and those below `sandbox` are a sandbox's alone.
 */

const TABLE = `
POST users | support
GET users | anybody
GET users/{uid} | anybody
PATCH users/{uid} | support or risk
GET users/{uid}/balances | anybody
PUT users/{uid}/fee-rates | markets
GET users/{uid}/fee-rates | anybody
GET users/{uid}/open-orders | anybody
GET users/{uid}/ended-orders | anybody
GET users/{uid}/positions | anybody
GET search/{text} | anybody
POST users/{uid}/api-keys | support
GET users/{uid}/api-keys | anybody
GET api-keys | anybody
GET api-keys/{apiKey} | anybody
PATCH api-keys/{apiKey} | support
DELETE api-keys/{apiKey} | support or risk
POST approval-rules | administrator
GET approval-rules | anybody
GET proposals | anybody
GET proposals/{proposalId} | anybody
PATCH proposals/{proposalId} | treasury
POST operators | administrator
GET operators | anybody
GET operators/{name} | anybody
PATCH operators/{name} | administrator
POST operators/{name}/token | administrator
DELETE operators/{name} | administrator
GET caller | anybody
POST users/{uid}/deposits | treasury
GET users/{uid}/deposits | anybody
GET users/{uid}/deposits/{id} | anybody
POST users/{uid}/withdrawals | treasury
GET users/{uid}/withdrawals | anybody
GET users/{uid}/withdrawals/{id} | anybody
POST users/{uid}/transfers | treasury
GET users/{uid}/transfers | anybody
GET users/{uid}/transfers/{id} | anybody
PUT withdrawal-rules/{asset} | treasury
GET withdrawal-rules | anybody
GET withdrawal-rules/{asset} | anybody
POST users/{uid}/withdrawal-addresses | treasury or support
GET users/{uid}/withdrawal-addresses | anybody
DELETE users/{uid}/withdrawal-addresses/{addressId} | treasury or support
POST withdrawal-requests | treasury or support
GET withdrawal-requests | anybody
GET withdrawal-requests/{withdrawalId} | anybody
PATCH withdrawal-requests/{withdrawalId} | treasury
PUT deposit-rules/{asset}/{network} | treasury
GET deposit-rules/{asset}/{network} | anybody
GET deposit-rules | anybody
POST deposit-reports | treasury
GET deposit-reports | anybody
GET deposit-reports/{depositId} | anybody
DELETE deposit-reports/{depositId} | treasury
POST webhooks | administrator
GET webhooks | anybody
GET webhooks/{webhookId} | anybody
PATCH webhooks/{webhookId} | administrator
DELETE webhooks/{webhookId} | administrator
POST webhooks/{webhookId}/secret | administrator
POST webhooks/{webhookId}/tests | support or treasury
POST webhooks/{webhookId}/redeliveries | support or treasury
GET webhooks/{webhookId}/deliveries | anybody
POST custody/balances | treasury
GET custody/balances | anybody
PUT assets/{asset} | markets
GET assets | anybody
GET assets/{asset} | anybody
PUT markets/spot/{symbol} | markets
PATCH markets/spot/{symbol} | markets or risk
GET markets/spot | anybody
GET markets/spot/{symbol} | anybody
PUT markets/contract/{symbol} | markets
PATCH markets/contract/{symbol} | markets or risk
GET markets/contract | anybody
GET markets/contract/{symbol} | anybody
PUT index-prices/{symbol} | markets or risk
GET index-prices | anybody
GET index-prices/{symbol} | anybody
PUT sandbox/mark-prices/{symbol} | administrator
GET sandbox/mark-prices/{symbol} | anybody
GET sandbox/mark-prices | anybody
GET insurance/{asset} | anybody
POST insurance/{asset}/deposits | treasury
GET insurance/{asset}/deposits | anybody
GET insurance/{asset}/deposits/{id} | anybody
POST insurance/{asset}/withdrawals | treasury
GET insurance/{asset}/withdrawals | anybody
GET insurance/{asset}/withdrawals/{id} | anybody
GET open-interest | anybody
GET positions | anybody
PUT affiliates/{uid} | support
GET affiliates | anybody
GET affiliates/{uid} | anybody
PUT affiliate-policy | treasury
GET affiliate-policy | anybody
GET affiliates/{uid}/statement-heads | anybody
GET commissions | anybody
GET commissions/{commissionId} | anybody
POST commissions/{commissionId}/releases | treasury
GET commissions/{commissionId}/releases | anybody
POST commissions/{commissionId}/reversals | treasury
GET commissions/{commissionId}/reversals | anybody
POST commission-settlements | treasury
GET commission-settlements | anybody
POST commission-what-if | anybody
GET invariants | anybody
GET status | anybody
GET cluster | anybody
POST cluster/promote | administrator
POST cluster/demo/start | administrator
GET health-samples | anybody
POST snapshots | administrator
GET snapshots | anybody
GET snapshots/{sequence} | anybody
GET audit | anybody
POST sandbox/clock/advance | administrator
POST sandbox/clock | administrator
GET sandbox/clock | anybody
PUT sandbox/faults/{id} | administrator
GET sandbox/faults | anybody
GET sandbox/faults/{id} | anybody
DELETE sandbox/faults/{id} | administrator
DELETE sandbox/faults | administrator
GET sandbox/requests | anybody
GET sandbox/quiet | anybody
POST sandbox/checkpoints | administrator
GET sandbox/checkpoints | anybody
DELETE sandbox/checkpoints/{name} | administrator
POST sandbox/restore | administrator
POST sandbox/reset | administrator
PUT sandbox/reset | administrator
POST sandbox/markets/{symbol}/book | administrator
GET sandbox/markets/{symbol}/book | anybody
DELETE sandbox/markets/{symbol}/book | administrator
POST sandbox/markets/{symbol}/price | administrator
POST sandbox/markets/{symbol}/funding | administrator
GET sandbox/markets/{symbol}/funding | anybody
PUT sandbox/markets/{symbol}/liquidity | administrator
GET sandbox/markets/{symbol}/liquidity | anybody
POST sandbox/trigger | administrator
POST sandbox/replays | administrator
POST sandbox/replays/{uid}/messages | administrator
GET sandbox/replays | anybody
GET sandbox/replays/{uid} | anybody
DELETE sandbox/replays/{uid} | administrator
`;

export interface PublishedOperatorCall {
  readonly method: string;
  /** With names in braces. */
  readonly path: string;
  /** Null for every role. */
  readonly roles: readonly string[] | null;
}

export const PUBLISHED_OPERATOR_CALLS: readonly PublishedOperatorCall[] = TABLE.trim()
  .split("\n")
  .map(readCall);

function readCall(line: string): PublishedOperatorCall {
  const [target = "", who = ""] = line.split(" | ");
  const [method = "", path = ""] = target.split(" ");
  return { method, path, roles: who === "anybody" ? null : who.split(" or ") };
}
