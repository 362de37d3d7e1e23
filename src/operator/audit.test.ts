/**
 * Proves that the audit log can be read from its end: newest first before a given entry, page by
 * page, with the same entries as oldest first, each once.
 */
import assert from "node:assert/strict";
import test, { after } from "node:test";
import { OperatorFixture } from "../../test/support/operator-fixture.ts";

const USERS = 7;

interface Page {
  readonly items: readonly { readonly id: number; readonly action: string }[];
  readonly next: number | null;
}

const operator = new OperatorFixture();
after(() => operator.close());

const audit = (query: string) => operator.call<Page>("GET", `/operator/v1/audit?${query}`);

test("the audit is read from its end, a page at a time", async () => {
  for (let i = 0; i < USERS; i++) await operator.call("POST", "/operator/v1/users", {});
  const oldestFirst = (await audit("limit=1000")).items;
  assert.equal(oldestFirst.length, USERS);
  const newestFirst: Page["items"][number][] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const page: Page = await audit(`before=${before}&limit=3`);
    newestFirst.push(...page.items);
    before = page.next;
  }
  assert.deepEqual(newestFirst, oldestFirst.toReversed());
  const [, second, third] = oldestFirst;
  const between = await audit(`after=${second?.id}&before=${third?.id}`);
  assert.deepEqual(between, { items: [], next: null });
});
