/** Sandbox controls: the clock, states, prices, markets on demand and recorded, faults. */
import type { ReactElement } from "react";
import layout from "../components/layout.module.css";
import { ClockPanel } from "./clock-panel.tsx";
import { FaultsPanel } from "./faults-panel.tsx";
import { MarketsPanel } from "./markets-panel.tsx";
import { PricesPanel } from "./prices-panel.tsx";
import { ReplaysPanel } from "./replays-panel.tsx";
import { StatesPanel } from "./states-panel.tsx";

export function SandboxPage(): ReactElement {
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Sandbox</h1>
      <ClockPanel />
      <StatesPanel />
      <PricesPanel />
      <MarketsPanel />
      <ReplaysPanel />
      <FaultsPanel />
    </div>
  );
}
