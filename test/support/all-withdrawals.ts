/** All withdrawals of a venue, page by page, as its operators see them. */
import type { OperatorClient } from "./operator-client.ts";

export interface Withdrawal {
  readonly withdrawalId: number;
  readonly uid: number;
  readonly id: string;
  readonly amount: string;
  readonly address: string;
  readonly state: string;
  readonly reference: string;
}

export async function allWithdrawals(operator: OperatorClient): Promise<readonly Withdrawal[]> {
  const found: Withdrawal[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const path = `/operator/v1/withdrawal-requests?after=${after}&limit=1000`;
    const page: { items: Withdrawal[]; next: number | null } = await operator.call("GET", path);
    found.push(...page.items);
    after = page.next;
  }
  return found;
}
