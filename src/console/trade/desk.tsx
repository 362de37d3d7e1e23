/**
 * What the parts of the trade page share: the market, its streams, and what one part tells another
 * (a price that was clicked in the book, lines that the chart shall draw).
 */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
} from "react";
import type { ContractStreams, SpotStreams } from "../../client/index.ts";
import { LiveValue } from "../live/live-value.ts";
import { useSession } from "../session/session.tsx";
import type { MarketRules } from "./market-rules.ts";

/** A price that the user picked in the book, the tape or the chart, for the order form. */
export interface PickedPrice {
  readonly price: string;
  /** Another number with every click, so that the same price can be picked again. */
  readonly at: number;
}

/** A horizontal line of the chart: entry, liquidation price, an open order. */
export interface ChartLine {
  readonly id: string;
  readonly price: string;
  readonly label: string;
  readonly tone: "buy" | "sell" | "info" | "warn";
}

export interface Desk {
  readonly rules: MarketRules;
  /** Every market of the product, for the pair switch. */
  readonly markets: readonly MarketRules[];
  /** The public connection of this page. */
  readonly streams: SpotStreams | ContractStreams;
  readonly picked: LiveValue<PickedPrice | null>;
  readonly lines: LiveValue<readonly ChartLine[]>;
  /** Something of the user's changed (an order was sent): lists are read again. */
  readonly accountChanged: LiveValue<number>;
}

const DeskContext = createContext<Desk | null>(null);

export interface DeskProviderProps {
  readonly rules: MarketRules;
  readonly markets: readonly MarketRules[];
  readonly children: ReactNode;
}

export function DeskProvider({ rules, markets, children }: DeskProviderProps): ReactElement {
  const { client } = useSession();
  const { product } = rules;
  const streams = useMemo(
    () => (product === "spot" ? client.streams.spot() : client.streams.contract()),
    [client, product],
  );
  useEffect(() => () => streams.close(), [streams]);
  const desk = useMemo<Desk>(
    () => ({
      rules,
      markets,
      streams,
      picked: new LiveValue<PickedPrice | null>(null),
      lines: new LiveValue<readonly ChartLine[]>([]),
      accountChanged: new LiveValue(0),
    }),
    [rules, markets, streams],
  );
  return <DeskContext value={desk}>{children}</DeskContext>;
}

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === null) throw new Error("useDesk is for components inside DeskProvider");
  return desk;
}
