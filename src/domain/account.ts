/** The ledger accounts, as spelled in the operator API. */

/** One of each per user and asset. Their balances are never negative. */
export const USER_ACCOUNTS = [
  "spot.available",
  "spot.frozen",
  "contract.available",
  "contract.order-margin",
  "contract.position-margin",
] as const;
export type UserAccount = (typeof USER_ACCOUNTS)[number];

/**
 * One of each per asset. `external` mirrors deposits and withdrawals, so it is normally negative.
 */
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

/** The two wallets between which a user can transfer funds. */
export const WALLETS = ["spot", "contract"] as const;
export type Wallet = (typeof WALLETS)[number];

export const USER_STATES = ["active", "frozen"] as const;
export type UserState = (typeof USER_STATES)[number];

export const PRODUCTS = ["spot", "contract"] as const;
export type Product = (typeof PRODUCTS)[number];

/** `read` allows every read; the others allow reads and writes of their product. */
export const PERMISSIONS = [
  "read",
  "spot",
  "contract",
  "affiliate",
  "withdraw",
  // Makes and revokes keys of the same user.
  "keys",
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What an operator may do besides reading, which all may; an administrator may do everything. */
export const OPERATOR_ROLES = [
  "viewer",
  "support",
  "markets",
  "risk",
  "treasury",
  "administrator",
] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** Most minor units that one account may hold; keeps all products of money within bounds. */
export const BALANCE_MINOR_MAX = 2n ** 96n;
export const ID_MAX = Number.MAX_SAFE_INTEGER;
