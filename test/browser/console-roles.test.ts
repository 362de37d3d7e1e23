/**
 * Proves in a real browser what an affiliate and an operator come for: a commission is read down to
 * its ledger entries and its settlement, and its numbers are those of the API; a statement is
 * verified in the page, and one changed digit of it is seen; a market is halted and goes on, with
 * the operator's token and not without; assets that do not add up are shown in red; a fault of the
 * sandbox is added and removed; its clock is frozen and set; it goes back to a state, which is also
 * saved as a file; every tab of both pages for keyboard and screen reader.
 */
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import type { Visit } from "../support/browser.ts";
import { DemoSite } from "../support/demo-site.ts";
import { auditPage } from "../support/page-audit.ts";

const site = new DemoSite();

/** A test with a window of its own. */
function walk(name: string, origin: () => string, body: (visit: Visit) => Promise<void>): void {
  const walked = async (visit: Visit) => {
    await visit.page.goto(`${origin()}/`);
    await body(visit);
  };
  site.walk(name, { width: 1440 }, walked, origin);
}

async function openAffiliatePage({ page }: Visit): Promise<void> {
  await page.getByRole("button", { name: "Affiliate 3001" }).first().click();
  await page.getByRole("button", { name: /Account 3001/ }).waitFor();
  await page.getByRole("link", { name: "Affiliate", exact: true }).click();
}

const operatorOrigin = (): string => site.operatorOrigin;

walk(
  "a commission is read down to its ledger entries",
  () => site.exchange.baseUrl,
  async (visit) => {
    const { page } = visit;
    await openAffiliatePage(visit);
    const why = page.getByRole("button", { name: /^Why\? Explain commission/ }).last();
    await why.waitFor();
    await auditPage(visit);
    const id = /\d+/.exec(
      (await why.getAttribute("aria-label")) ?? (await why.textContent()) ?? "",
    );
    await why.click();
    const dialog = page.getByRole("dialog", { name: `Commission ${id?.[0]}` });
    const picture = (await dialog.getByRole("list").first().textContent()) ?? "";
    const path = `/operator/v1/commissions/${id?.[0]}`;
    const told = await site.exchange.operator.call<{ fee: string; rate: string; amount: string }>(
      "GET",
      path,
    );
    for (const number of [told.fee, told.rate, told.amount]) {
      assert.ok(picture.includes(number), `${number} in ${picture}`);
    }
    assert.match(picture, /fees → affiliate-payable/);
    visit.assertClean();
  },
);

walk(
  "a statement is verified in the page, and a changed digit is seen",
  () => site.exchange.baseUrl,
  async (visit) => {
    const { page } = visit;
    await openAffiliatePage(visit);
    for (const tab of ["Invitees", "Sub-affiliates"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel").getByRole("table").waitFor();
      await auditPage(visit);
    }
    await page.getByRole("tab", { name: "Statements" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download", exact: true }).click();
    const genuine = readFileSync(await (await download).path(), "utf8");
    const verify = page.getByRole("region", { name: "Verify a statement" });
    const titleFor = async (name: string, text: string): Promise<string> => {
      const file = { name, mimeType: "application/json", buffer: Buffer.from(text) };
      await verify.getByLabel(/Drop a statement/).setInputFiles(file);
      const verdict = verify.getByRole("status").filter({ hasText: name });
      await verdict.waitFor();
      return (await verdict.getByRole("heading").textContent()) ?? "";
    };
    // Entries that came since the download leave its end open, but not its content.
    assert.match(
      await titleFor("genuine.json", genuine),
      /Genuine and complete|Consistent, but not compared/,
    );
    const changed = genuine.replace(/"fee": "(.*)(\d)"/, (_, digits: string, last: string) => {
      return `"fee": "${digits}${(Number(last) + 1) % 10}"`;
    });
    assert.notEqual(changed, genuine);
    assert.match(await titleFor("changed.json", changed), /not genuine or has been altered/);
    await auditPage(visit);
    await visit.screenshot("affiliate-statement");
    visit.assertClean();
  },
);

walk("every tab of the operator console is for everybody", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  const tabs = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const names = await tabs.allTextContents();
  assert.ok(names.length >= 8, `${names}`);
  for (const name of names) {
    await tabs.filter({ hasText: name }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor({ state: "attached" });
    await page.getByText("Loading…").first().waitFor({ state: "detached" });
    await auditPage(visit);
    await visit.screenshot(`operator-${name.toLowerCase()}`);
  }
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await page.getByRole("link", { name: "1001", exact: true }).click();
  await page.getByRole("heading", { name: "User 1001 active" }).waitFor();
  await auditPage(visit);
  visit.assertClean();
});

walk("a new key is shown until it is kept", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Users", exact: true }).click();
  await page.getByRole("link", { name: "1001", exact: true }).click();
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create a key for user 1001" });
  // A form that nothing was lost of closes by Escape.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Create a key" }).click();
  await dialog.getByLabel("Passphrase").fill("passphrase1");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const warning = dialog.getByText("The secret is shown only once.");
  await warning.waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Close" }).count(), 0);
  // A browser lets a page refuse the first Escape, but not the second one after it.
  for (let i = 0; i < 3; i++) await page.keyboard.press("Escape");
  assert.ok(await warning.isVisible());
  await auditPage(visit);
  await dialog.getByRole("button", { name: "I have saved them" }).click();
  await dialog.waitFor({ state: "detached" });
  visit.assertClean();
});

walk("what adds up is green, and what does not is red", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Invariants" }).click();
  await page.getByRole("heading", { name: "All invariants hold" }).waitFor();
  const usdt = page.getByRole("region", { name: "Totals of USDT" });
  assert.match((await usdt.getByRole("heading").textContent()) ?? "", /✓ sum 0$/);
  await page.route("**/operator/v1/invariants", async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { totals: Record<string, Record<string, string>> };
    const external = body.totals.USDT?.external ?? "";
    // One unit more came in than accounts have.
    body.totals = {
      ...body.totals,
      USDT: { ...body.totals.USDT, external: `${external}.00000001` },
    };
    await route.fulfill({ response: answer, json: body });
  });
  await page.getByRole("button", { name: "Check now" }).click();
  await page.getByRole("heading", { name: "Invariants violated" }).waitFor();
  await page.getByText(/Failed: the sum of 1 asset at sequence/).waitFor();
  assert.match((await usdt.getByRole("heading").textContent()) ?? "", /✕ sum -0\.00000001$/);
  await auditPage(visit);
  await visit.screenshot("operator-not-sound");
  visit.assertClean();
});

walk("a fault is added, happens, is counted and removed", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByRole("button", { name: "Add fault" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a fault" });
  await dialog.getByLabel("Name").fill("limit");
  await dialog.getByLabel("Fault", { exact: true }).selectOption("answer");
  await dialog.getByLabel("HTTP status").fill("42");
  await dialog.getByLabel("Call or channel").fill("GET /api/v3/time");
  await auditPage(visit);
  const add = dialog.getByRole("button", { name: "Add fault" });
  await add.click();
  await dialog.getByText(/an HTTP status/).waitFor();
  await dialog.getByLabel("HTTP status").fill("429");
  await add.click();
  const row = page.getByRole("row", { name: /limit/ });
  await row.getByText("next 1").waitFor();
  assert.equal((await fetch(`${site.exchange.baseUrl}/api/v3/time`)).status, 429);
  await row.getByRole("cell", { name: "1", exact: true }).waitFor();
  await page.getByRole("button", { name: "Remove fault limit" }).click();
  await page.getByText("No fault rules", { exact: false }).waitFor();
  assert.equal((await fetch(`${site.exchange.baseUrl}/api/v3/time`)).status, 200);
});

walk("a replay is shown with its progress, and is stopped", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByText("rialto replay book.csv.gz").waitFor();
  const replays = "/operator/v1/sandbox/replays";
  const begun = { symbol: "BTCUSDT", base: "1", quote: "1", name: "2026-05-19.csv.gz" };
  const { uid } = await site.exchange.operator.call<{ uid: number }>("POST", replays, begun);
  const terms = { side: "BUY", price: "1", quantity: "0.001" };
  const messages = [{ kind: "add", id: "1", ...terms }];
  const body = { messages, progress: 37.5 };
  await site.exchange.operator.call("POST", `${replays}/${uid}/messages`, body);
  const row = page.getByRole("row", { name: /2026-05-19\.csv\.gz/ });
  await row.getByRole("cell", { name: "37 %" }).waitFor();
  await auditPage(visit);
  await row.getByRole("button", { name: "Stop the replay of 2026-05-19.csv.gz" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Stop the replay" }).click();
  await page.getByText("Replay stopped after 1 messages").waitFor();
  await row.waitFor({ state: "detached" });
  const { items } = await site.exchange.operator.call<{ items: object[] }>("GET", replays);
  assert.deepEqual(items, []);
  visit.assertClean();
});

walk("the clock stands still, and is set forward", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Sandbox" }).click();
  const speed = page.getByLabel("Clock speed");
  await speed.selectOption({ label: "follows the market" });
  await page.locator("dd").getByText("follows the market", { exact: true }).waitFor();
  await speed.selectOption({ label: "frozen" });
  await page.locator("dd").getByText("frozen", { exact: true }).waitFor();
  const read = () =>
    site.exchange.operator.call<{ time: number; speed: number }>(
      "GET",
      "/operator/v1/sandbox/clock",
    );
  const frozen = await read();
  assert.equal(frozen.speed, 0);
  const field = page.getByLabel("Exchange time");
  await field.fill("2020-02-30");
  await page.getByText("Enter a time such as").waitFor();
  await field.fill("2020-02-28 12:00");
  await page.getByText("This time has passed").waitFor();
  const day = new Date(frozen.time + 86_400_000).toISOString().slice(0, 10);
  await field.fill(`${day} 23:59`);
  await page.getByRole("button", { name: "Set the clock" }).click();
  const dialog = page.getByRole("dialog", { name: `Set the clock to ${day} 23:59:00 UTC` });
  await auditPage(visit);
  await dialog.getByRole("button", { name: "Set the clock" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual((await read()).time, Date.parse(`${day}T23:59:00Z`));
  await speed.selectOption({ label: "1 ×" });
  await page.locator("dd").getByText("1 ×", { exact: true }).waitFor();
  assert.equal((await read()).speed, 1);
  visit.assertClean();
});

walk("the exchange goes back to a state, and is saved", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByRole("button", { name: "Add checkpoint" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a checkpoint" });
  const add = dialog.getByRole("button", { name: "Add checkpoint" });
  await dialog.getByLabel("Name").fill("../x");
  await add.click();
  await dialog.getByText(/1 to 64/).waitFor();
  visit.complaints.length = 0;
  await dialog.getByLabel("Name").fill("before");
  await auditPage(visit);
  await add.click();
  await page.getByRole("row", { name: /before/ }).waitFor();
  const { uid } = await site.exchange.operator.call<{ uid: number }>(
    "POST",
    "/operator/v1/users",
    {},
  );
  const isKnown = async (): Promise<boolean> =>
    (await site.exchange.operator.send("GET", `/operator/v1/users/${uid}`)).status === 200;
  assert.ok(await isKnown());
  await page.getByRole("button", { name: "Restore before" }).click();
  const question = page.getByRole("dialog", { name: "Restore before" });
  await question.getByRole("button", { name: "Restore before" }).click();
  await question.waitFor({ state: "detached" });
  assert.ok(!(await isKnown()), "the user was created after the checkpoint");
  await page.getByRole("button", { name: "Remove checkpoint before" }).click();
  await page.getByText("No checkpoints", { exact: false }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download state" }).click();
  const file = await (await download).path();
  assert.ok(statSync(file).size > 10_000);
  visit.assertClean();
});

walk("a price is moved, and a crash tells what it did", operatorOrigin, async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Sandbox" }).click();
  await page.getByLabel("Market").first().fill("solusdt");
  await page.getByLabel("Price", { exact: true }).fill("150.001");
  await page.getByRole("button", { name: "Move price" }).click();
  await page.getByText(/a multiple of 0.01/).waitFor();
  await page.getByLabel("Price", { exact: true }).fill("150");
  await page.getByRole("button", { name: "Move price" }).click();
  const did = page.getByRole("list", { name: "What was done" });
  await did.getByText("SOLUSDT (spot) is at 150").waitFor();
  await page.getByLabel("Scenario").selectOption("flash-crash");
  await page.getByLabel("Market").last().fill("SOLUSDT");
  await page.getByRole("button", { name: "Run scenario" }).click();
  await did.getByText(/^SOLUSDT \(spot\) fell from/).waitFor();
  await auditPage(visit);
  visit.complaints.length = 0;
});

walk(
  "an operator is added, signs in with a role, and is removed",
  operatorOrigin,
  async (visit) => {
    const { page } = visit;
    await site.signInOperator(visit.page);
    await page.getByRole("link", { name: "Operators" }).click();
    await page.getByRole("button", { name: "Add an operator" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Ann");
    await page.getByLabel("Role").selectOption("viewer");
    await page.getByRole("button", { name: "Add operator" }).click();
    await page.getByText(/1 to 32 of a-z/).waitFor();
    await page.getByLabel("Name", { exact: true }).fill("ann");
    await page.getByRole("button", { name: "Add operator" }).click();
    const token = (await page.getByText(/^ann\.viewer\.[0-9a-f]{64}$/).textContent()) ?? "";
    await auditPage(visit);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("button", { name: "sign out" }).click();
    await page.getByLabel("Operator token").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "ann (viewer): sign out" }).waitFor();
    await page.getByRole("link", { name: "Operators" }).click();
    await page.getByRole("button", { name: "Remove operator ann" }).click();
    await page.getByRole("button", { name: "Remove ann" }).click();
    await page.getByText(/role does not allow this call/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await site.exchange.operator.call("DELETE", "/operator/v1/operators/ann");
    visit.complaints.length = 0;
  },
);

walk("a market is halted and goes on", operatorOrigin, async (visit) => {
  const { page } = visit;
  await page.getByLabel("Operator token").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Wrong operator token.").waitFor();
  visit.complaints.length = 0;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Markets" }).click();
  const stateOf = async (): Promise<string> =>
    (
      await site.exchange.operator.call<{ state: string }>(
        "GET",
        "/operator/v1/markets/spot/SOLUSDT",
      )
    ).state;
  for (const [choice, state] of [
    ["Halted", "halted"],
    ["Trading", "trading"],
  ] as const) {
    await page.getByRole("button", { name: "Change state of SOLUSDT, spot" }).click();
    const dialog = page.getByRole("dialog", { name: "State of SOLUSDT, spot" });
    await dialog.locator("label", { hasText: choice }).click();
    await dialog.getByLabel(/^Reason/).fill("looked at");
    await dialog.getByRole("button").last().click();
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await stateOf(), state);
  }
  await auditPage(visit);
  visit.assertClean();
});
