/**
 * A valid request for every route beyond the API; the order numbers are of no order, and a
 * switch that is off is switched off, so that nothing here changes an account without funds.
 */
import type { IdPlace, RouteRequest } from "./request-forms.ts";
import { posted, read, SYMBOL } from "./request-forms.ts";

const contract = (request: RouteRequest): RouteRequest => ({ ...request, wallet: "contract" });

const withdrawals = (request: RouteRequest): RouteRequest => ({ ...request, wallet: "withdraw" });
const keys = (request: RouteRequest): RouteRequest => ({ ...request, wallet: "keys" });
const removal = (query: Readonly<Record<string, string>>): RouteRequest => ({
  ...read(query),
  access: "write",
});

const AMENDED = { origClientOrderId: "none", price: "30000.00", quantity: "0.01000" } as const;
const COUNTDOWN = { countdownMs: 0, symbol: SYMBOL } as const;

export const ADDITION_REQUESTS: Readonly<Record<string, RouteRequest>> = {
  "POST /api/v3/order/test": posted("write", {
    symbol: SYMBOL,
    side: "SELL",
    type: "LIMIT",
    timeInForce: "GTC",
    price: "30000.00",
    quantity: "0.01000",
    newClientOrderId: "valid-9",
  }),
  "POST /capi/v3/order/test": contract(
    posted("write", {
      symbol: SYMBOL,
      side: "BUY",
      positionSide: "LONG",
      type: "LIMIT",
      timeInForce: "GTC",
      price: "30000.0",
      quantity: "0.010",
      newClientOrderId: "valid-10",
      tpTriggerPrice: "31000.0",
      slTriggerPrice: "29000.0",
      TpWorkingType: "CONTRACT_PRICE",
      SlWorkingType: "MARK_PRICE",
    }),
  ),
  "POST /api/v2/trade/orders/test": posted("write", {
    symbol: SYMBOL,
    side: "buy",
    orderType: "limit",
    force: "normal",
    price: "30000.00",
    quantity: "0.01000",
    clientOrderId: "valid-11",
  }),
  "PUT /api/v3/order": posted("write", { orderId: "987654321", ...AMENDED }),
  "PUT /capi/v3/order": contract(posted("write", { orderId: 987654321, ...AMENDED })),
  "POST /api/v2/trade/amend-order": posted("write", {
    symbol: SYMBOL,
    orderId: "987654321",
    clientOrderId: "none",
    price: "30000.00",
    quantity: "0.01000",
  }),
  // Of no asset: it would change an account.
  "POST /api/v3/faucet": posted("write", {
    clientFaucetId: "valid-12",
    coinName: "NONE",
    amount: "1.5",
    toType: "CONTRACT",
  }),
  "POST /api/v3/order/cancelAllAfter": posted("write", COUNTDOWN),
  "GET /api/v3/order/cancelAllAfter": read(),
  "POST /capi/v3/order/cancelAllAfter": contract(posted("write", COUNTDOWN)),
  "GET /capi/v3/order/cancelAllAfter": contract(read()),
  "POST /api/v3/withdrawal": withdrawals(
    posted("write", { addressId: 987654321, amount: "10.5", clientWithdrawalId: "valid-12" }),
  ),
  "GET /api/v3/withdrawal": withdrawals(read({ withdrawalId: "987654321" })),
  "DELETE /api/v3/withdrawal": withdrawals(removal({ withdrawalId: "987654321" })),
  "GET /api/v3/withdrawals": withdrawals(
    read({ status: "REQUESTED", beforeId: "987654321", limit: "10" }),
  ),
  "GET /api/v3/deposits": withdrawals(
    read({ status: "PENDING", beforeId: "987654321", limit: "10" }),
  ),
  "GET /api/v3/withdrawal/addresses": withdrawals(read()),
  // The asset is not listed.
  "POST /api/v3/withdrawal/address": withdrawals(
    posted("write", {
      asset: "NONE",
      network: "TRC20",
      address: "TExampleAddress",
      memo: "7",
      label: "cold",
    }),
  ),
  "DELETE /api/v3/withdrawal/address": withdrawals(removal({ addressId: "987654321" })),
  "GET /api/v3/apiKeys": keys(read()),
  // It would have ended already.
  "POST /api/v3/apiKey": keys(
    posted("write", {
      label: "valid",
      permissions: ["read", "spot"],
      passphrase: "valid-passphrase",
      ipAllowList: ["127.0.0.1", "10.0.0.0/8"],
      expiresAt: 1,
    }),
  ),
  "DELETE /api/v3/apiKey": keys(removal({ apiKey: "rialto_00000000000000000000000000000000" })),
};

const NEW_TERMS = { price: "30001.00", quantity: "0.02000" } as const;

export const ADDITION_ID_PLACES: readonly IdPlace[] = [
  {
    route: "PUT /api/v3/order",
    request: (orderId, origClientOrderId) => [
      posted("write", { orderId, ...NEW_TERMS }),
      posted("write", { origClientOrderId, ...NEW_TERMS }),
    ],
  },
  {
    route: "POST /api/v2/trade/amend-order",
    request: (orderId, clientOrderId) => [
      posted("write", { symbol: SYMBOL, orderId, ...NEW_TERMS }),
      posted("write", { symbol: SYMBOL, clientOrderId, ...NEW_TERMS }),
    ],
  },
];

/** Which calls take the id of a withdrawal or of an address. */
export const WITHDRAWAL_ID_PLACES: readonly {
  readonly route: string;
  readonly of: "withdrawal" | "address";
  request(id: number): RouteRequest;
}[] = [
  {
    route: "GET /api/v3/withdrawal",
    of: "withdrawal",
    request: (id) => read({ withdrawalId: String(id) }),
  },
  {
    route: "DELETE /api/v3/withdrawal",
    of: "withdrawal",
    request: (id) => removal({ withdrawalId: String(id) }),
  },
  {
    route: "POST /api/v3/withdrawal",
    of: "address",
    request: (addressId) => posted("write", { addressId, amount: "10", clientWithdrawalId: "w" }),
  },
  {
    route: "DELETE /api/v3/withdrawal/address",
    of: "address",
    request: (id) => removal({ addressId: String(id) }),
  },
];

export const CONTRACT_AMEND_PLACE = {
  route: "PUT /capi/v3/order",
  of: "order",
  request: (orderId: number, origClientOrderId: string): RouteRequest[] => [
    contract(posted("write", { orderId, ...NEW_TERMS })),
    contract(posted("write", { origClientOrderId, ...NEW_TERMS })),
  ],
} as const;
