/** The four v2 spot calls of the specification, without their envelopes. */
import { body, bodyWithId, call, classOf, query } from "./methods.ts";
import type { Answer } from "./route-types.ts";

export type Asset = Answer<"v2-account-assets">[number];

const SPOT_V2 = {
  /** The rolling 24 hours of a market. */
  ticker: query("v2-ticker"),
  /** Balances of every listed asset. */
  assets: call("v2-account-assets"),
  /** Places an order; `quantity` of a market buy is the quote amount to spend. */
  placeOrder: bodyWithId("v2-place-order", "clientOrderId"),
  /** Cancels an order; `result` says whether it was cancelled, `err_code` why not. */
  cancelOrder: body("v2-cancel-order"),
};

export class SpotV2Client extends classOf(SPOT_V2) {}
