/** Placeholder. */
import type { ReactElement } from "react";

export function AccountTabs(): ReactElement {
  return <div />;
}
