/** Balances of the spot or the contract wallet. */
import type { ReactElement } from "react";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { compare, plus } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import { useAccountQuery } from "./account-query.ts";
import { byAmount, byText, SignedCell } from "./cells.tsx";

/** Unrealised P&L moves with the mark price. */
const CONTRACT_INTERVAL_MS = 1_000;

interface Balance {
  readonly asset: string;
  readonly total: string;
  readonly free: string;
  readonly held: string;
  /** Null on spot. */
  readonly profit: string | null;
}

export function Assets(): ReactElement {
  const { client } = useSession();
  const { rules } = useMarket();
  const { product } = rules;
  const query = useAccountQuery<readonly Balance[]>(
    "assets",
    async (signal) => {
      if (product === "contract") {
        const rows = await client.contract.balance({ signal });
        return rows.map((row) => ({
          asset: row.asset,
          total: row.balance,
          free: row.availableBalance,
          held: row.frozen,
          profit: row.unrealizePnl,
        }));
      }
      const { balances } = await client.spot.account({ signal });
      const rows = balances.map(({ asset, free, locked }) => {
        return { asset, total: plus(free, locked), free, held: locked, profit: null };
      });
      return rows.filter(({ total }) => compare(total, "0") > 0);
    },
    product === "contract" ? CONTRACT_INTERVAL_MS : null,
  );
  return (
    <QueryTable
      label="Assets"
      cards
      query={query}
      columns={COLUMNS[product]}
      rowKey={({ asset }) => asset}
      empty="No assets in this wallet. The operator makes deposits in the operator console."
    />
  );
}

const SHARED: readonly Column<Balance>[] = [
  {
    id: "asset",
    header: "Asset",
    cell: ({ asset }) => asset,
    compare: byText(({ asset }) => asset),
  },
  {
    id: "total",
    header: "Total",
    align: "right",
    cell: ({ total }) => groupDecimal(total),
    compare: byAmount(({ total }) => total),
  },
  {
    id: "free",
    header: "Available",
    align: "right",
    cell: ({ free }) => groupDecimal(free),
    compare: byAmount(({ free }) => free),
  },
  {
    id: "held",
    header: "In orders",
    align: "right",
    cell: ({ held }) => groupDecimal(held),
    compare: byAmount(({ held }) => held),
  },
];

const COLUMNS: Readonly<Record<"spot" | "contract", readonly Column<Balance>[]>> = {
  spot: SHARED,
  contract: [
    ...SHARED,
    {
      id: "profit",
      header: "Unrealised P&L",
      align: "right",
      cell: ({ profit }) => (profit === null ? "" : <SignedCell text={profit} places={2} />),
    },
  ],
};
