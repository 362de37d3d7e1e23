/** Fetches all affiliates page by page, up to a limit. */
import type { ListAffiliatesAnswer, OperatorClient } from "../../../client/index.ts";

export type Affiliate = ListAffiliatesAnswer["items"][number];

const PAGE_LIMIT = 1_000;
const PAGES_MAX = 5;

export interface AllAffiliates {
  readonly affiliates: readonly Affiliate[];
  /** There are more than were fetched. */
  readonly isCut: boolean;
}

export async function fetchAllAffiliates(
  client: OperatorClient,
  signal: AbortSignal,
): Promise<AllAffiliates> {
  const affiliates: Affiliate[] = [];
  let after = 0;
  for (let page = 0; page < PAGES_MAX; page++) {
    const { items, next } = await client.listAffiliates({ after, limit: PAGE_LIMIT }, { signal });
    affiliates.push(...items);
    if (next === null) return { affiliates, isCut: false };
    after = next;
  }
  return { affiliates, isCut: true };
}
