/** The four v2 spot calls of the specification, out of their envelopes. */
import { newClientId } from "./credentials.ts";
import type { CallOptions } from "./http-calls.ts";
import type { InterfaceCalls } from "./interface-calls.ts";
import type { Answer, Body, Query, Without } from "./route-types.ts";

export type Asset = Answer<"v2-account-assets">[number];

export class SpotV2Client {
  readonly #calls: InterfaceCalls;

  constructor(calls: InterfaceCalls) {
    this.#calls = calls;
  }

  /** The rolling 24 hours of a market. */
  ticker(query: Query<"v2-ticker">, options?: CallOptions): Promise<Answer<"v2-ticker">> {
    return this.#calls.data("v2-ticker", { query }, options);
  }

  /** Balances of every listed asset. */
  assets(options?: CallOptions): Promise<Asset[]> {
    return this.#calls.data("v2-account-assets", {}, options);
  }

  /** Places an order; `quantity` of a market buy is the quote amount to spend. */
  placeOrder(
    order: Without<Body<"v2-place-order">, "clientOrderId">,
    options?: CallOptions,
  ): Promise<Answer<"v2-place-order">> {
    const body = { clientOrderId: newClientId(), ...order };
    return this.#calls.data("v2-place-order", { body }, options);
  }

  /** Cancels an order; `result` says whether it was, `err_code` why not. */
  cancelOrder(
    body: Body<"v2-cancel-order">,
    options?: CallOptions,
  ): Promise<Answer<"v2-cancel-order">> {
    return this.#calls.data("v2-cancel-order", { body }, options);
  }
}
