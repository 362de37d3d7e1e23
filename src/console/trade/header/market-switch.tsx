/** The market's name, and a list of all markets of either product below it. */
import { type ReactElement, type ToggleEvent, useId, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { ContractTicker, RialtoClient, SpotTicker } from "../../../client/index.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Field, Segments } from "../../components/field.tsx";
import { Notice } from "../../components/panel.tsx";
import { usePolled } from "../../data/query.ts";
import { groupDecimal, percentOf, toneOf } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useDesk } from "../market.tsx";
import type { Product } from "../market-rules.ts";
import { useShortcuts } from "../shortcuts.tsx";
import styles from "./market-switch.module.css";

const INTERVAL_MS = 2_000;

type Ticker = SpotTicker | ContractTicker;

const PRODUCTS: readonly { readonly value: Product; readonly text: string }[] = [
  { value: "spot", text: "Spot" },
  { value: "contract", text: "Contracts" },
];

export function MarketSwitch(): ReactElement {
  const { rules } = useDesk();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [keys] = useState(() => ({ "/": () => list.current?.showPopover() }));
  useShortcuts(keys);
  const onToggle = ({ newState }: ToggleEvent): void => {
    setOpen(newState === "open");
    if (newState === "open") placeBelow(list.current, button.current);
  };
  return (
    <>
      <h1 className={styles.heading}>
        <button ref={button} type="button" className={styles.button} popoverTarget={id}>
          <span className={styles.symbol}>{rules.symbol}</span>
          <span className={styles.product}>{rules.product === "spot" ? "Spot" : "Perpetual"}</span>
          <span className="visually-hidden">: change market</span>
          <span aria-hidden="true">▾</span>
        </button>
      </h1>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="dialog"
        aria-label="Markets"
        className={styles.list}
        onToggle={onToggle}
      >
        {isOpen ? <MarketChoice onDone={() => list.current?.hidePopover()} /> : null}
      </div>
    </>
  );
}

/** A popover stands in the top layer and knows nothing of what opened it. */
function placeBelow(list: HTMLElement | null, button: HTMLElement | null): void {
  if (list === null || button === null) return;
  const { left, bottom } = button.getBoundingClientRect();
  const most = Math.max(0, innerWidth - list.offsetWidth - EDGE_PX);
  list.style.left = `${Math.min(left, most)}px`;
  list.style.top = `${bottom + EDGE_PX}px`;
}

const EDGE_PX = 6;

function MarketChoice({ onDone }: { readonly onDone: () => void }): ReactElement {
  const desk = useDesk();
  const { client } = useSession();
  const [, navigate] = useLocation();
  const [product, setProduct] = useState<Product>(desk.rules.product);
  const [search, setSearch] = useState("");
  const polled = usePolled(product, (signal) => askTickers(client, product, signal), INTERVAL_MS);
  const { answer, error, refresh } = polled;
  const wanted = search.trim().replaceAll("/", "").toUpperCase();
  const found = (answer ?? []).filter(({ symbol }) => symbol.includes(wanted));
  const go = (ticker: Ticker | undefined): void => {
    if (ticker === undefined) return;
    onDone();
    navigate(`/trade/${product}/${ticker.symbol}`);
  };
  return (
    <form
      className={styles.choice}
      onSubmit={(event) => {
        event.preventDefault();
        go(found[0]);
      }}
    >
      <Segments label="Product" value={product} options={PRODUCTS} onValue={setProduct} />
      <Field
        label={<span className="visually-hidden">Search markets</span>}
        type="search"
        placeholder="Search, e.g. ETH; Enter takes the first"
        value={search}
        onText={setSearch}
        autoFocus
      />
      {error === null ? null : <FailureNotice what="The markets" error={error} onRetry={refresh} />}
      {answer === null && error === null ? (
        <Notice kind="loading">Asking for prices…</Notice>
      ) : (
        <DataTable
          label="Markets"
          columns={COLUMNS[product]}
          rows={found}
          rowKey={({ symbol }) => symbol}
          empty={<Notice kind="empty">No market has that in its name.</Notice>}
          onRow={go}
        />
      )}
    </form>
  );
}

function askTickers(
  client: RialtoClient,
  product: Product,
  signal: AbortSignal,
): Promise<readonly Ticker[]> {
  return product === "spot"
    ? client.spot.tickers({}, { signal })
    : client.contract.tickers({}, { signal });
}

function columnsOf(product: Product): readonly Column<Ticker>[] {
  return [
    {
      id: "symbol",
      header: "Market",
      cell: ({ symbol }) => (
        <Link href={`/trade/${product}/${symbol}`} className={styles.name}>
          {symbol}
        </Link>
      ),
      compare: (left, right) => right.symbol.localeCompare(left.symbol),
    },
    {
      id: "last",
      header: "Last price",
      align: "right",
      cell: ({ lastPrice }) => (lastPrice === "0" ? "–" : groupDecimal(lastPrice)),
    },
    {
      id: "change",
      header: "24 h",
      align: "right",
      cell: ({ priceChangePercent }) => (
        <span className={styles.change} data-tone={toneOf(priceChangePercent)}>
          {percentOf(priceChangePercent)}
        </span>
      ),
      compare: (left, right) => Number(left.priceChangePercent) - Number(right.priceChangePercent),
    },
  ];
}

const COLUMNS: Readonly<Record<Product, readonly Column<Ticker>[]>> = {
  spot: columnsOf("spot"),
  contract: columnsOf("contract"),
};
