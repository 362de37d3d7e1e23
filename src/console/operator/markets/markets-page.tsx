/** All markets with their states and rules, and dialogs to change them. */
import { type ReactElement, useMemo, useState } from "react";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { rateText } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { AssetDialog } from "./asset-dialog.tsx";
import { MarketForm } from "./market-form.tsx";
import type { ContractMarket, Market, Product, SpotMarket } from "./market-kind.ts";
import { StateDialog } from "./state-dialog.tsx";

const INTERVAL_MS = 10_000;
/** More markets and assets than any exchange has. */
const LIMIT = 1_000;

interface EditedState {
  readonly what: "state";
  readonly product: Product;
  readonly market: Market;
}

type Edited =
  | EditedState
  | { readonly what: "rules"; readonly product: Product; readonly market: Market | null }
  | { readonly what: "asset" };

export function MarketsPage(): ReactElement {
  const [edited, setEdited] = useState<Edited | null>(null);
  const { spot, contract, assets, refresh } = useMarkets();
  const spotColumns = useMemo(() => spotColumnsOf(setEdited), []);
  const contractColumns = useMemo(() => contractColumnsOf(setEdited), []);
  /** As the lists have it now: the dialog may be opened before they know of the last change. */
  const present = (state: EditedState): EditedState => {
    const { answer } = state.product === "spot" ? spot : contract;
    const rows: readonly Market[] = answer?.items ?? [];
    const market = rows.find(({ symbol }) => symbol === state.market.symbol) ?? state.market;
    return { ...state, market };
  };
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Markets</h1>
      <Panel
        title="Spot"
        flush
        actions={
          <>
            <Button size="small" onClick={() => setEdited({ what: "asset" })}>
              List an asset
            </Button>
            <ListNew product="spot" assets={assets.answer?.items} onEdit={setEdited} />
          </>
        }
      >
        <QueryTable
          label="Spot markets"
          query={spot}
          columns={spotColumns}
          rowKey={({ symbol }) => symbol}
          empty="No spot markets listed yet."
        />
      </Panel>
      <Panel
        title="Contracts"
        flush
        actions={<ListNew product="contract" assets={assets.answer?.items} onEdit={setEdited} />}
      >
        <QueryTable
          label="Contract markets"
          query={contract}
          columns={contractColumns}
          rowKey={({ symbol }) => symbol}
          empty="No contracts listed yet."
        />
      </Panel>
      {edited === null ? null : (
        <Editing
          edited={edited.what === "state" ? present(edited) : edited}
          assets={assets.answer?.items ?? []}
          onClose={() => setEdited(null)}
          onDone={refresh}
        />
      )}
    </div>
  );
}

function useMarkets() {
  const { client } = useOperator();
  const spot = useQuery(
    "spot-markets",
    (signal) => client.listSpotMarkets({ limit: LIMIT }, { signal }),
    INTERVAL_MS,
  );
  const contract = useQuery(
    "contract-markets",
    (signal) => client.listContractMarkets({ limit: LIMIT }, { signal }),
    INTERVAL_MS,
  );
  const assets = useQuery("assets", (signal) => client.listAssets({ limit: LIMIT }, { signal }));
  const refresh = (): void => {
    spot.refresh();
    contract.refresh();
    assets.refresh();
  };
  return { spot, contract, assets, refresh };
}

interface ListNewProps {
  readonly product: Product;
  readonly assets: readonly unknown[] | undefined;
  readonly onEdit: (edited: Edited) => void;
}

/** A market needs two assets. */
function ListNew({ product, assets = [], onEdit }: ListNewProps): ReactElement {
  return (
    <Button
      size="small"
      tone="accent"
      disabled={assets.length < 2}
      onClick={() => onEdit({ what: "rules", product, market: null })}
    >
      List a new {product} market
    </Button>
  );
}

interface EditingProps {
  readonly edited: Edited;
  readonly assets: readonly { readonly asset: string; readonly coinId: number }[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Editing({ edited, assets, onClose, onDone }: EditingProps): ReactElement {
  const ends = { onClose, onDone };
  if (edited.what === "asset") {
    const freeCoinId = 1 + Math.max(0, ...assets.map(({ coinId }) => coinId));
    return <AssetDialog freeCoinId={freeCoinId} {...ends} />;
  }
  const { product } = edited;
  if (edited.what === "state") {
    return <StateDialog product={product} market={edited.market} {...ends} />;
  }
  const names = assets.map(({ asset }) => asset);
  return <MarketForm product={product} market={edited.market} assets={names} {...ends} />;
}

const TONES = { trading: "good", "cancel-only": "warn", halted: "bad" } as const;

function commonColumns<Row extends Market>(): readonly Column<Row>[] {
  return [
    { id: "symbol", header: "Market", cell: ({ symbol }) => <strong>{symbol}</strong> },
    {
      id: "state",
      header: "State",
      cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge>,
    },
    { id: "tick", header: "Tick", align: "right", cell: ({ tickSize }) => tickSize },
    { id: "step", header: "Step", align: "right", cell: ({ stepSize }) => stepSize },
    {
      id: "fees",
      header: "Maker / taker fee",
      align: "right",
      cell: ({ makerFeeRate, takerFeeRate }) =>
        `${rateText(makerFeeRate, 4)} / ${rateText(takerFeeRate, 4)}`,
    },
  ];
}

function spotColumnsOf(onEdit: (edited: Edited) => void): readonly Column<SpotMarket>[] {
  return [
    ...commonColumns<SpotMarket>(),
    {
      id: "least",
      header: "Min. quantity / value",
      align: "right",
      cell: ({ minTradeAmount, minNotional }) => `${minTradeAmount} / ${minNotional}`,
    },
    actionsColumn("spot", onEdit),
  ];
}

function contractColumnsOf(onEdit: (edited: Edited) => void): readonly Column<ContractMarket>[] {
  return [
    ...commonColumns<ContractMarket>(),
    {
      id: "leverage",
      header: "Leverage",
      align: "right",
      cell: ({ minLeverage, maxLeverage }) => `${minLeverage}× to ${maxLeverage}×`,
    },
    {
      id: "tiers",
      header: "Tiers",
      align: "right",
      cell: ({ tiers }) => tiers.length,
    },
    {
      id: "funding",
      header: "Funding every",
      align: "right",
      cell: ({ fundingIntervalMinutes }) => `${fundingIntervalMinutes} min`,
    },
    actionsColumn("contract", onEdit),
  ];
}

function actionsColumn<Row extends Market>(
  product: Product,
  onEdit: (edited: Edited) => void,
): Column<Row> {
  return {
    id: "actions",
    header: <span className="visually-hidden">Actions</span>,
    align: "right",
    pinned: true,
    cell: (market) => (
      <span className={layout.rowActions}>
        <Button
          size="small"
          aria-label={`Change state of ${market.symbol}, ${product}`}
          onClick={() => onEdit({ what: "state", product, market })}
        >
          Change state
        </Button>
        <Button
          size="small"
          aria-label={`Edit rules of ${market.symbol}, ${product}`}
          onClick={() => onEdit({ what: "rules", product, market })}
        >
          Edit rules
        </Button>
      </span>
    ),
  };
}
