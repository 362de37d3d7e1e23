/** The sizes of the trade page's panels: three presets, and what the user made of them. */

/** In CSS pixels. */
export interface LayoutSizes {
  /** Order book and tape. */
  readonly book: number;
  readonly form: number;
  /** The user's tables, below. */
  readonly account: number;
}

export type Preset = "standard" | "chart" | "account";

export const PRESETS: Readonly<Record<Preset, LayoutSizes>> = {
  standard: { book: 484, form: 290, account: 240 },
  chart: { book: 260, form: 290, account: 150 },
  account: { book: 484, form: 290, account: 420 },
};

export const LIMITS: Readonly<Record<keyof LayoutSizes, readonly [min: number, max: number]>> = {
  book: [230, 760],
  form: [260, 480],
  account: [110, 900],
};

const STORED = "rialto.layout";

export function fitSize(part: keyof LayoutSizes, pixels: number): number {
  const [min, max] = LIMITS[part];
  return Math.round(Math.min(max, Math.max(min, pixels)));
}

/** The preset with these sizes; null if they are the user's own. */
export function presetOf(sizes: LayoutSizes): Preset | null {
  const found = Object.entries(PRESETS).find(([, preset]) =>
    PARTS.every((part) => preset[part] === sizes[part]),
  );
  return (found?.[0] as Preset | undefined) ?? null;
}

const PARTS = ["book", "form", "account"] as const;

/** Sizes from stored text; those of the standard where there are none. */
export function parseLayout(text: string | null): LayoutSizes {
  const stored = text?.split(" ").map(Number) ?? [];
  const size = (part: keyof LayoutSizes, i: number): number => {
    const pixels = stored[i];
    return pixels !== undefined && pixels > 0 ? fitSize(part, pixels) : PRESETS.standard[part];
  };
  return { book: size("book", 0), form: size("form", 1), account: size("account", 2) };
}

export const storedLayout = (): LayoutSizes => parseLayout(localStorage.getItem(STORED));

export function storeLayout({ book, form, account }: LayoutSizes): void {
  localStorage.setItem(STORED, `${book} ${form} ${account}`);
}
