/** Placeholder. */
import type { ReactElement } from "react";

export function MarketView(): ReactElement {
  return <div />;
}
