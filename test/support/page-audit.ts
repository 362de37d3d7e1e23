/** What every page must be: usable by keyboard and screen reader, and no wider than its window. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Visit } from "./browser.ts";

const SERIOUS = ["serious", "critical"];

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** No finding of axe that is serious, and nothing to scroll sideways. */
export async function auditPage(visit: Visit): Promise<void> {
  await auditWith(visit, ({ impact }) => SERIOUS.includes(impact ?? ""));
}

/** The same without any finding at all. */
export async function auditWholePage(visit: Visit): Promise<void> {
  await auditWith(visit, () => true);
}

async function auditWith(
  { page }: Visit,
  isWrong: (violation: Violation) => boolean,
): Promise<void> {
  await page.evaluate(axe.source);
  const violations = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)",
  )) as Violation[];
  assert.deepEqual(
    violations
      .filter(isWrong)
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`),
    [],
  );
  const tooWide = await page.evaluate(
    "document.documentElement.scrollWidth - document.documentElement.clientWidth",
  );
  assert.equal(tooWide, 0, "the page is wider than its window");
}
