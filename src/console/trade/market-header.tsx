/** Placeholder. */
import type { ReactElement } from "react";

export function MarketHeader(): ReactElement {
  return <div />;
}
