/** The user's fee rates: for all spot markets, and for each contract. */
import type { ReactElement } from "react";
import type { RialtoClient } from "../../client/index.ts";
import type { Column } from "../components/data-table.tsx";
import { Panel } from "../components/panel.tsx";
import { QueryTable } from "../components/query-view.tsx";
import { useQuery } from "../data/query.ts";
import { rateText } from "../decimals/format.ts";
import { useSession } from "../session/session.tsx";

interface Rates {
  readonly market: string;
  readonly maker: string;
  readonly taker: string;
}

/** Each is a call that counts against the limits. */
const CONTRACTS_MAX = 20;

export function FeesPanel(): ReactElement {
  const { client, apiKey } = useSession();
  const query = useQuery(apiKey === null ? null : `fees ${apiKey}`, (signal) =>
    fetchRates(client, signal),
  );
  return (
    <Panel title="Your fee rates" flush>
      <QueryTable
        label="Fee rates"
        query={query}
        columns={COLUMNS}
        rowKey={({ market }) => market}
        empty="No markets listed yet."
      />
    </Panel>
  );
}

async function fetchRates(client: RialtoClient, signal: AbortSignal): Promise<readonly Rates[]> {
  const [{ commissionRates }, { symbols }] = await Promise.all([
    client.spot.account({ signal }),
    client.contract.exchangeInfo({}, { signal }),
  ]);
  const contracts = await Promise.all(
    symbols.slice(0, CONTRACTS_MAX).map(async ({ symbol }) => {
      const rates = await client.contract.commissionRate({ symbol }, { signal });
      const { makerCommissionRate: maker, takerCommissionRate: taker } = rates;
      return { market: `${symbol} contract`, maker, taker };
    }),
  );
  return [{ market: "Spot markets, at most", ...commissionRates }, ...contracts];
}

const COLUMNS: readonly Column<Rates>[] = [
  { id: "market", header: "Market", cell: ({ market }) => market },
  { id: "maker", header: "Maker", align: "right", cell: ({ maker }) => rateText(maker) },
  { id: "taker", header: "Taker", align: "right", cell: ({ taker }) => rateText(taker) },
];
