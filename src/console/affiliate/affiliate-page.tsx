/** Placeholder. */
import type { ReactElement } from "react";

export function AffiliatePage(): ReactElement {
  return <div />;
}
