/** The market's name, which opens a list of all markets. */
import { type ReactElement, type ToggleEvent, useId, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Column } from "../../components/data-table.tsx";
import { Field, Segments } from "../../components/field.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { type Ticker, useTickers } from "../../data/tickers.ts";
import { groupDecimal, percentOf, toneOf } from "../../decimals/format.ts";
import { useMarket } from "../market.tsx";
import type { Product } from "../market-rules.ts";
import { useShortcuts } from "../shortcuts.tsx";
import styles from "./market-switch.module.css";

const INTERVAL_MS = 2_000;

const PRODUCTS: readonly { readonly value: Product; readonly text: string }[] = [
  { value: "spot", text: "Spot" },
  { value: "contract", text: "Contracts" },
];

export function MarketSwitch(): ReactElement {
  const { rules } = useMarket();
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

/** A popover is in the top layer, so it is placed by hand. */
function placeBelow(list: HTMLElement | null, button: HTMLElement | null): void {
  if (list === null || button === null) return;
  const { left, bottom } = button.getBoundingClientRect();
  const most = Math.max(0, innerWidth - list.offsetWidth - EDGE_PX);
  list.style.left = `${Math.min(left, most)}px`;
  list.style.top = `${bottom + EDGE_PX}px`;
}

const EDGE_PX = 6;

function MarketChoice({ onDone }: { readonly onDone: () => void }): ReactElement {
  const { rules } = useMarket();
  const [, navigate] = useLocation();
  const [product, setProduct] = useState<Product>(rules.product);
  const [search, setSearch] = useState("");
  const query = useTickers(product, INTERVAL_MS);
  const wanted = search.trim().replaceAll("/", "").toUpperCase();
  const found = query.answer?.filter(({ symbol }) => symbol.includes(wanted));
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
        go(found?.[0]);
      }}
    >
      <Segments label="Product" value={product} options={PRODUCTS} onValue={setProduct} />
      <Field
        label={<span className="visually-hidden">Search markets</span>}
        type="search"
        placeholder="Search, e.g. ETH (Enter opens the first)"
        value={search}
        onText={setSearch}
        autoFocus
      />
      <QueryTable
        label="Markets"
        query={{ ...query, answer: found ?? null }}
        columns={COLUMNS[product]}
        rowKey={({ symbol }) => symbol}
        empty="No matching market."
        onRow={go}
      />
    </form>
  );
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
