/** Terms and arithmetic of the exchange. Imports nothing; everything else may import it. */
export * from "./account.ts";
export * from "./affiliate.ts";
export * from "./approval.ts";
export * from "./candle-interval.ts";
export * from "./contract.ts";
export * from "./decimal.ts";
export * from "./deposit.ts";
export * from "./invariant.ts";
export * from "./order.ts";
export * from "./refusal.ts";
export * from "./webhook.ts";
export * from "./withdrawal.ts";
