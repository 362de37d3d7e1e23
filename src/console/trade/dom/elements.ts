/**
 * Elements of tables drawn without React. Styles select on `data-part`, so that renderers need no
 * style sheet.
 */

export function appendElement(
  parent: Element,
  part: string,
  { tag = "div", role }: { readonly tag?: "div" | "span"; readonly role?: string } = {},
): HTMLElement {
  const element = parent.ownerDocument.createElement(tag);
  element.dataset.part = part;
  if (role !== undefined) element.setAttribute("role", role);
  parent.append(element);
  return element;
}

/** The header row. */
export function appendHeader(table: Element, titles: readonly string[]): HTMLElement {
  const group = appendElement(table, "head", { role: "rowgroup" });
  const row = appendElement(group, "titles", { role: "row" });
  for (const title of titles) {
    appendElement(row, "title", { tag: "span", role: "columnheader" }).textContent = title;
  }
  return group;
}

/** A clickable price. Not reached by Tab: see `enableArrowKeys`. */
export function appendPriceButton(row: Element): HTMLButtonElement {
  const cell = appendElement(row, "price", { tag: "span", role: "cell" });
  const button = row.ownerDocument.createElement("button");
  button.type = "button";
  button.tabIndex = -1;
  cell.append(button);
  return button;
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 5,
  PageUp: -5,
};

/**
 * Arrow keys move from price to price; Tab goes to the price that had the focus last. Returns a
 * function that stops it.
 */
export function enableArrowKeys(table: HTMLElement): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    const prices = [...table.querySelectorAll<HTMLButtonElement>(REACHABLE)];
    const from = prices.indexOf(event.target as HTMLButtonElement);
    if (from === -1) return;
    event.preventDefault();
    prices[Math.max(0, Math.min(prices.length - 1, from + step))]?.focus();
  };
  const onFocus = (event: FocusEvent): void => {
    const price = event.target as HTMLElement;
    if (!price.matches(REACHABLE)) return;
    for (const other of table.querySelectorAll<HTMLElement>('button[tabindex="0"]')) {
      other.tabIndex = -1;
    }
    price.tabIndex = 0;
  };
  table.addEventListener("keydown", onKeyDown);
  table.addEventListener("focusin", onFocus);
  return () => {
    table.removeEventListener("keydown", onKeyDown);
    table.removeEventListener("focusin", onFocus);
  };
}

const REACHABLE = '[role="row"]:not([data-empty]) button';
