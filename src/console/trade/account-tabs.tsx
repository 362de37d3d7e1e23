/** The account area: positions, orders, history, trades and assets. */
import { type ReactElement, useCallback, useEffect, useState } from "react";
import { Switch } from "../components/field.tsx";
import { useNarrow } from "../components/media.ts";
import { Notice } from "../components/panel.tsx";
import { type Tab, Tabs } from "../components/tabs.tsx";
import { useSession } from "../session/session.tsx";
import { useAccountChanges } from "./account/account-changes.ts";
import { useAccountShortcuts } from "./account/account-shortcuts.ts";
import { Assets } from "./account/assets.tsx";
import { useChartFills } from "./account/chart-fills.ts";
import { useChartLines } from "./account/chart-lines.ts";
import { ConditionalOrders } from "./account/conditional-orders.tsx";
import { Fills } from "./account/fills.tsx";
import { OpenOrders } from "./account/open-orders.tsx";
import { OrderHistory } from "./account/order-history.tsx";
import { Positions } from "./account/positions.tsx";
import styles from "./account-tabs.module.css";
import { useMarket } from "./market.tsx";
import { LayoutChoice } from "./panels.tsx";
import { ShortcutList } from "./shortcuts.tsx";

type TabId = "positions" | "open" | "conditional" | "history" | "fills" | "assets";

const SPOT_TABS: readonly Tab<TabId>[] = [
  { id: "open", label: "Open orders" },
  { id: "history", label: "Order history" },
  { id: "fills", label: "Trades" },
  { id: "assets", label: "Assets" },
];

const CONTRACT_TABS: readonly Tab<TabId>[] = [
  { id: "positions", label: "Positions" },
  { id: "open", label: "Open orders" },
  { id: "conditional", label: "Conditional orders" },
  { id: "history", label: "Order history" },
  { id: "fills", label: "Trades" },
  { id: "assets", label: "Assets" },
];

export function AccountTabs(): ReactElement {
  const { rules } = useMarket();
  const { apiKey } = useSession();
  const tabs = rules.product === "spot" ? SPOT_TABS : CONTRACT_TABS;
  const [selected, setSelected] = useState<TabId>(tabs[0]?.id ?? "open");
  const isNarrow = useNarrow();
  const [thisMarket, setThisMarket] = useState(false);
  const [isClosing, setClosing] = useState(false);
  const close = useCallback(() => {
    setSelected("positions");
    setClosing(true);
  }, []);
  useAccountShortcuts(close);
  useAccountChanges();
  useChartLines();
  useChartFills();
  useEffect(() => setSelected(rules.product === "spot" ? "open" : "positions"), [rules.product]);
  return (
    <section className={styles.area} aria-label="Your account">
      <Tabs
        label="Your account"
        tabs={tabs}
        selected={selected}
        onSelect={setSelected}
        actions={
          <>
            <Switch label={`Only ${rules.symbol}`} checked={thisMarket} onChange={setThisMarket} />
            <LayoutChoice />
            {isNarrow ? null : <ShortcutList />}
          </>
        }
      >
        {apiKey === null ? (
          <Notice kind="empty">Sign in to see your orders, trades and assets.</Notice>
        ) : (
          <TabContent
            id={selected}
            symbol={thisMarket ? rules.symbol : null}
            isClosing={isClosing}
            onClosing={() => setClosing(false)}
          />
        )}
      </Tabs>
    </section>
  );
}

interface TabContentProps {
  readonly id: TabId;
  /** Null for all markets. */
  readonly symbol: string | null;
  readonly isClosing: boolean;
  readonly onClosing: () => void;
}

function TabContent({ id, symbol, ...closing }: TabContentProps): ReactElement {
  switch (id) {
    case "positions":
      return <Positions symbol={symbol} {...closing} />;
    case "open":
      return <OpenOrders symbol={symbol} />;
    case "conditional":
      return <ConditionalOrders symbol={symbol} />;
    case "history":
      return <OrderHistory symbol={symbol} />;
    case "fills":
      return <Fills symbol={symbol} />;
    case "assets":
      return <Assets />;
  }
}
