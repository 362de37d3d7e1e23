/** Placeholder. */
import type { ReactElement } from "react";

export function OrderForm(): ReactElement {
  return <div />;
}
