/** The grid of the trade page: its panels, the lines between them, and their sizes. */
import {
  type CSSProperties,
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useMemo,
  useRef,
  useState,
} from "react";
import { Choice } from "../components/field.tsx";
import {
  type LayoutSizes,
  PRESETS,
  type Preset,
  presetOf,
  storedLayout,
  storeLayout,
} from "./layout.ts";
import { Separator } from "./separator.tsx";
import styles from "./trade-page.module.css";

interface Layout {
  readonly sizes: LayoutSizes;
  readonly change: (sizes: LayoutSizes) => void;
}

const LayoutContext = createContext<Layout | null>(null);

export function Panels({ children }: { readonly children: ReactNode }): ReactElement {
  const [sizes, setSizes] = useState(storedLayout);
  const grid = useRef<HTMLDivElement>(null);
  const layout = useMemo<Layout>(() => {
    const change = (next: LayoutSizes): void => {
      storeLayout(next);
      setSizes(next);
    };
    return { sizes, change };
  }, [sizes]);
  const move = (part: keyof LayoutSizes, pixels: number): void =>
    grid.current?.style.setProperty(`--${part}`, `${pixels}px`);
  const resize = (part: keyof LayoutSizes, pixels: number): void =>
    layout.change({ ...sizes, [part]: pixels });
  const lengths = Object.fromEntries(
    Object.entries(sizes).map(([part, pixels]) => [`--${part}`, `${pixels}px`]),
  );
  const line = (part: keyof LayoutSizes, label: string): ReactElement => (
    <Separator part={part} label={label} size={sizes[part]} onMove={move} onSize={resize} />
  );
  return (
    <LayoutContext value={layout}>
      <div ref={grid} className={styles.page} style={lengths as CSSProperties}>
        {children}
        {line("book", "order book and trades")}
        {line("form", "order form")}
        {line("account", "your orders and positions")}
      </div>
    </LayoutContext>
  );
}

const NAMES: Readonly<Record<Preset, string>> = {
  standard: "Standard",
  chart: "Large chart",
  account: "Large tables",
};

/** The presets, on screens that are wide enough for them. */
export function LayoutChoice(): ReactElement | null {
  const layout = useContext(LayoutContext);
  if (layout === null) return null;
  const preset = presetOf(layout.sizes);
  const presets = Object.keys(PRESETS) as Preset[];
  const options = presets.map((value) => ({ value: value as Preset | "own", text: NAMES[value] }));
  return (
    <div className={styles.layout}>
      <Choice
        label="Layout"
        showLabel={false}
        value={preset ?? "own"}
        options={preset === null ? [...options, { value: "own", text: "Own layout" }] : options}
        onValue={(value) => (value === "own" ? undefined : layout.change(PRESETS[value]))}
      />
    </div>
  );
}
