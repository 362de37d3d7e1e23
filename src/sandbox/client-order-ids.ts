/** Client order ids of the demo's traders: unique within a run and across runs. */

/** `run` differs at every start; `product` keeps the two kinds of markets apart. */
export function clientOrderIds(product: "spot" | "contract", run: number): () => string {
  const prefix = `${product === "spot" ? "t" : "c"}${run.toString(36)}`;
  let orders = 0;
  return () => `${prefix}-${(orders++).toString(36)}`;
}
