/** The ledger's accounts, as they appear on the wire of the operator API. */

/** One of each per user and asset. No balance of these is ever negative. */
export const USER_ACCOUNTS = [
  "spot.available",
  "spot.frozen",
  "contract.available",
  "contract.order-margin",
  "contract.position-margin",
] as const;
export type UserAccount = (typeof USER_ACCOUNTS)[number];

/** One of each per asset. `external` mirrors deposits and withdrawals and is negative by nature. */
export const HOUSE_ACCOUNTS = [
  "fees",
  "affiliate-payable",
  "insurance",
  "funding-clearing",
  "pnl-clearing",
  "rounding",
  "external",
] as const;
export type HouseAccount = (typeof HOUSE_ACCOUNTS)[number];

/** The two wallets between which a user moves funds. */
export const WALLETS = ["spot", "contract"] as const;
export type Wallet = (typeof WALLETS)[number];

export const USER_STATES = ["active", "frozen"] as const;
export type UserState = (typeof USER_STATES)[number];

export const PRODUCTS = ["spot", "contract"] as const;
export type Product = (typeof PRODUCTS)[number];

/** `read` allows every read; the others allow the reads and writes of their side. */
export const PERMISSIONS = ["read", "spot", "contract", "affiliate"] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Minor units that one account may hold; keeps every product of money within bounds. */
export const BALANCE_MINOR_MAX = 2n ** 96n;
export const ID_MAX = Number.MAX_SAFE_INTEGER;
