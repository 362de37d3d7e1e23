/** An order that was refused; perhaps nothing else happened meanwhile. */
import type { Product } from "./orders.ts";

export interface RefusedOrder {
  readonly product: Product | "conditional";
  readonly uid: number;
  readonly body: Readonly<Record<string, unknown>>;
}
