/** Placeholder. */
import type { ReactElement } from "react";

export function OperatorPage(): ReactElement {
  return <div />;
}
