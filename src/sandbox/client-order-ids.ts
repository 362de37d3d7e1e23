/** Client order ids of the demo's traders: no two alike in a run, and none of another run's. */

/** `run` is another number at every start, and `product` keeps the two kinds of markets apart. */
export function clientOrderIds(product: "spot" | "contract", run: number): () => string {
  const prefix = `${product === "spot" ? "t" : "c"}${run.toString(36)}`;
  let orders = 0;
  return () => `${prefix}-${(orders++).toString(36)}`;
}
