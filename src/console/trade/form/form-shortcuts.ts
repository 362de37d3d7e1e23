/** The keys of the order form: side, type, fields, sizes, and orders where the user wants that. */
import { type RefObject, useMemo, useRef } from "react";
import { flushSync } from "react-dom";
import { keysTrade, useShortcuts } from "../shortcuts.tsx";
import type { DraftField, Side } from "./order-draft.ts";
import { MARKS } from "./percent-slider.tsx";
import { EMPTY_AMOUNTS, type TypedDraft } from "./typed-draft.ts";

type Change = (part: Partial<TypedDraft>) => void;

/** The price and the units stay. */
const CLEARED: Partial<TypedDraft> = {
  ...EMPTY_AMOUNTS,
  side: "BUY",
  kind: "LIMIT",
  timeInForce: "GTC",
  closes: false,
};

/** `sizeAt` is the size of a percentage of the funds. */
export function useFormShortcuts(
  change: Change,
  form: RefObject<HTMLFormElement | null>,
  sizeAt: (percent: number) => string,
): void {
  const latest = useRef(sizeAt);
  latest.current = sizeAt;
  const shortcuts = useMemo(() => {
    const go = (field: DraftField): void => {
      const input = fieldIn(form.current, `[name=${field}]`);
      input?.focus();
      input?.select();
    };
    const send = (side: Side): void => {
      if (!keysTrade()) return;
      // The form must show the side before it is sent.
      flushSync(() => change({ side }));
      form.current?.requestSubmit();
    };
    return {
      p: () => go("price"),
      q: () => go("quantity"),
      b: () => change({ side: "BUY" }),
      s: () => change({ side: "SELL" }),
      l: () => change({ kind: "LIMIT" }),
      m: () => change({ kind: "MARKET" }),
      c: () => change(CLEARED),
      ...Object.fromEntries([
        ["B", () => send("BUY")],
        ["S", () => send("SELL")],
        ...MARKS.map((mark, i) => [`${i + 1}`, () => change({ quantity: latest.current(mark) })]),
      ]),
    };
  }, [change, form]);
  useShortcuts(shortcuts);
}

export function fieldIn(form: HTMLFormElement | null, selector: string): HTMLInputElement | null {
  return form?.querySelector<HTMLInputElement>(`input${selector}`) ?? null;
}
