/**
 * Proves in a real browser what treasury comes for: withdrawals are decided, sent and booked out
 * with confirmation, reason and reference, and each step says who took it; a large one waits for a
 * second operator, who is not the first; the page of backups says what the last one has. All of it
 * for keyboard and screen reader, and under the strict content security policy.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../support/browser.ts";
import { DemoSite } from "../support/demo-site.ts";
import { auditPage } from "../support/page-audit.ts";
import { PROGRAM } from "../support/program.ts";

const site = new DemoSite({});

/** A test with a window of its own. */
function walk(name: string, body: (visit: Visit) => Promise<void>): void {
  const origin = () => site.operatorOrigin;
  const walked = async (visit: Visit) => {
    await visit.page.goto(`${origin()}/`);
    await body(visit);
  };
  site.walk(name, { width: 1440 }, walked, origin);
}

/** As root: rules without holds, and withdrawals of a new user; their ids. */
async function requestWithdrawals(amounts: readonly string[]): Promise<number[]> {
  const { operator } = site.exchange;
  const v1 = "/operator/v1";
  const rules = { minAmount: "1", fee: "0.5", addressHoldMs: 0, keyHoldMs: 0 };
  await operator.call("PUT", `${v1}/withdrawal-rules/USDT`, rules);
  const { uid } = await operator.call<{ uid: number }>("POST", `${v1}/users`, {});
  const funds = { id: "funds", account: "spot", asset: "USDT", amount: "100000" };
  await operator.call("POST", `${v1}/users/${uid}/deposits`, funds);
  const address = { asset: "USDT", network: "TRC20", address: "TExampleAddress" };
  const book = `${v1}/users/${uid}/withdrawal-addresses`;
  const { addressId } = await operator.call<{ addressId: number }>("POST", book, address);
  const ids: number[] = [];
  for (const amount of amounts) {
    const request = { id: `w-${amount}`, uid, addressId, amount };
    const path = `${v1}/withdrawal-requests`;
    ids.push((await operator.call<{ withdrawalId: number }>("POST", path, request)).withdrawalId);
  }
  return ids;
}

const stateOfWithdrawal = async (withdrawalId: number): Promise<string> => {
  const path = `/operator/v1/withdrawal-requests/${withdrawalId}`;
  return (await site.exchange.operator.call<{ state: string }>("GET", path)).state;
};

async function openWithdrawal(page: Page, withdrawalId: number): Promise<Locator> {
  const name = `Withdrawal ${withdrawalId}`;
  await page.getByRole("button", { name: `Open w${name.slice(1)}`, exact: true }).click();
  const dialog = page.getByRole("dialog", { name, exact: true });
  await dialog.getByText(/TExampleAddress, over TRC20/).waitFor();
  return dialog;
}

/** Takes the next step, with what it asks for. */
async function step(dialog: Locator, name: string, field: RegExp, text: string): Promise<void> {
  await dialog.getByRole("button", { name, exact: true }).first().click();
  const question = dialog.page().getByRole("dialog", { name: new RegExp(`^${name}: withdrawal`) });
  await question.getByLabel(field).fill(text);
  await question.getByRole("button", { name, exact: true }).click();
  await question.waitFor({ state: "detached" });
}

async function addTreasurer(name: string): Promise<string> {
  const path = "/operator/v1/operators";
  const operator = { name, role: "treasury" };
  return (await site.exchange.operator.call<{ token: string }>("POST", path, operator)).token;
}

walk("withdrawals go through their steps", async (visit) => {
  const { page } = visit;
  const [sent = 0, refused = 0] = await requestWithdrawals(["100", "200"]);
  await site.signInOperator(visit.page, await addTreasurer("ann"));
  await page.getByRole("link", { name: "Withdrawals" }).click();
  const dialog = await openWithdrawal(page, sent);
  await dialog.getByText("Of it, 0.5 USDT is the fee.").waitFor();
  await auditPage(visit);
  await step(dialog, "Approve", /^Reason/, "known customer");
  await dialog.getByText(/Approved by ann on .*: known customer/).waitFor();
  await step(dialog, "Record as sent", /External reference/, "0x7f3a");
  await dialog.getByText(/Recorded as sent by ann on .*, reference 0x7f3a/).waitFor();
  await step(dialog, "Record as done", /^Reason/, "");
  await dialog.getByText(/Recorded as done by ann/).waitFor();
  assert.equal(await stateOfWithdrawal(sent), "done");
  await page.keyboard.press("Escape");
  const other = await openWithdrawal(page, refused);
  await step(other, "Reject", /^Reason/, "unknown address");
  await other.getByText(/Rejected by ann on .*: unknown address/).waitFor();
  assert.equal(await stateOfWithdrawal(refused), "rejected");
  await page.keyboard.press("Escape");
  await page.getByText("No withdrawals awaiting a decision.").waitFor();
  visit.assertClean();
});

walk("whoever may not decide reads", async (visit) => {
  const { page } = visit;
  await requestWithdrawals(["1"]);
  const viewer = { name: "vic", role: "viewer" };
  const path = "/operator/v1/operators";
  const { token } = await site.exchange.operator.call<{ token: string }>("POST", path, viewer);
  await site.signInOperator(visit.page, token);
  await page.getByRole("link", { name: "Withdrawals" }).click();
  await page
    .getByRole("button", { name: /^Open withdrawal/ })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: /^Withdrawal/ });
  await dialog.getByText("Your role can view withdrawals; treasury decides them.").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Approve" }).count(), 0);
  visit.assertClean();
});

walk("a large one waits for a second operator, who is not the first", async (visit) => {
  const { page } = visit;
  const [large = 0] = await requestWithdrawals(["50000"]);
  const rule = { action: "withdrawals", asset: "USDT", above: "1000" };
  await site.exchange.operator.call("POST", "/operator/v1/approval-rules", rule);
  await site.signInOperator(visit.page, await addTreasurer("bob"));
  await page.getByRole("link", { name: "Withdrawals" }).click();
  await step(await openWithdrawal(page, large), "Approve", /^Reason/, "");
  await page.getByText(/Waits for a second operator: proposal/).waitFor();
  assert.equal(await stateOfWithdrawal(large), "requested");
  await page.keyboard.press("Escape");
  const waiting = page.getByRole("row", { name: /50000 USDT/ });
  const approve = async (): Promise<void> => {
    await waiting.getByRole("button", { name: /^Approve proposal/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Approve", exact: true }).click();
  };
  await approve();
  await page.getByText(/you proposed it/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: /sign out$/ }).click();
  visit.complaints.length = 0;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Withdrawals" }).click();
  await waiting.waitFor();
  await auditPage(visit);
  await visit.screenshot("operator-withdrawals");
  await approve();
  await page.getByText("No proposals awaiting a second operator.").waitFor();
  assert.equal(await stateOfWithdrawal(large), "approved");
  await page.getByLabel("State").selectOption("approved");
  const approved = await openWithdrawal(page, large);
  await approved.getByText(/Approved by bob and operator/).waitFor();
  visit.assertClean();
});

walk("the page of backups says what the last one has", async (visit) => {
  const { page } = visit;
  await site.signInOperator(visit.page);
  await page.getByRole("link", { name: "Backups" }).click();
  await page.getByText("No backups of this exchange yet.").waitFor();
  const target = mkdtempSync(join(tmpdir(), "rialto-backup-"));
  try {
    const flags = ["backup", target, "--data-dir", site.exchange.dataFolder, "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...flags]);
    const { sequence } = JSON.parse(stdout) as { sequence: number };
    await page.locator("dd").getByText(target, { exact: true }).waitFor();
    await page.locator("dd").getByText(String(sequence), { exact: true }).waitFor();
    await auditPage(visit);
    visit.assertClean();
  } finally {
    rmSync(target, { recursive: true });
  }
});
