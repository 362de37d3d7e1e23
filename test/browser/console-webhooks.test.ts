/**
 * Proves in a real browser that an administrator adds a webhook whose secret is shown until it is
 * kept, sees how a test went, pauses it, follows its deliveries over pages, sends an event again,
 * renews the secret and removes it, with a real receiver that checks signatures; that balances of
 * custody are reported and what is missing stands out; and that other roles see only what they may
 * do. All of it for keyboard and screen reader, and under the strict content security policy.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { browserMissing, TestBrowser, type Visit } from "../support/browser.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { auditPage } from "../support/page-audit.ts";

const missing = browserMissing();
const V1 = "/operator/v1";

let exchange: ExchangeProcess;
let browser: TestBrowser;
let receiver: Receiver;

interface Received {
  readonly kind: string;
  readonly numbers: readonly number[];
  readonly isSignedWith: (secret: string) => boolean;
}

/** Keeps what it was sent, and answers `status`. */
class Receiver {
  readonly received: Received[] = [];
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const bytes = Buffer.concat(parts);
      const { kind, events } = JSON.parse(bytes.toString()) as {
        kind: string;
        events: { number: number }[];
      };
      const time = request.headers["x-rialto-timestamp"];
      const signature = request.headers["x-rialto-signature"];
      const isSignedWith = (secret: string): boolean => {
        const hash = createHmac("sha256", secret).update(`${time}.`).update(bytes).digest("hex");
        return signature === `sha256=${hash}`;
      };
      this.received.push({ kind, numbers: events.map(({ number }) => number), isSignedWith });
      response.writeHead(this.status).end();
    });
  }

  static async start(): Promise<Receiver> {
    const started = new Receiver();
    await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/rialto`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

before(async () => {
  if (missing !== null) return;
  exchange = await ExchangeProcess.start();
  browser = await TestBrowser.launch();
  receiver = await Receiver.start();
});

after(async () => {
  if (missing !== null) return;
  receiver.close();
  await browser.close();
  await exchange.stop();
});

/** A test with a window of its own, signed in. */
function walk(name: string, role: string, body: (visit: Visit) => Promise<void>): void {
  test(name, { skip: missing ?? false }, async () => {
    const origin = `http://127.0.0.1:${exchange.operatorPort}`;
    const operator = { name: `op-${role}`, role };
    const { token } = await call<{ token: string }>("POST", "operators", operator);
    const visit = await browser.visit(origin, { width: 1440 });
    try {
      const { page } = visit;
      await page.goto(`${origin}/`);
      await page.getByLabel("Operator token").fill(token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("live", { exact: true }).waitFor();
      await body(visit);
      visit.assertClean();
    } finally {
      await visit.close();
    }
  });
}

const call = <Answer>(method: string, path: string, body?: unknown): Promise<Answer> =>
  exchange.operator.call<Answer>(method, `${V1}/${path}`, body);

let uid = 0;
let depositCount = 0;
async function deposit(amount: string): Promise<void> {
  if (uid === 0) ({ uid } = await call<{ uid: number }>("POST", "users", {}));
  const id = `deposit-${depositCount++}`;
  await call("POST", `users/${uid}/deposits`, { id, account: "spot", asset: "USDT", amount });
}

/** Reads a secret that is shown once, and says that it is kept. */
async function keepSecret(dialog: Locator): Promise<string> {
  await dialog.getByText("The secret is shown only once.").waitFor();
  const secret = (await dialog.getByText(/^whsec_[0-9a-f]{64}$/).textContent()) ?? "";
  for (let i = 0; i < 3; i++) await dialog.page().keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Copy the secret" }).waitFor();
  await dialog.getByRole("button", { name: "I have saved it" }).click();
  await dialog.waitFor({ state: "detached" });
  return secret;
}

/** Adds a webhook for deposits and fills of the user; its secret. */
async function addWebhook(visit: Visit): Promise<string> {
  const { page } = visit;
  await page.getByRole("button", { name: "Add a webhook" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a webhook" });
  const add = dialog.getByRole("button", { name: "Add webhook" });
  await dialog.getByLabel("URL").fill("http://192.168.0.1/");
  await dialog.getByLabel("deposits").check();
  await dialog.getByLabel("fills", { exact: true }).check();
  await dialog.getByLabel("Fills of these users").fill(`${uid}`);
  await add.click();
  await dialog.locator('input[aria-invalid="true"]').waitFor();
  visit.complaints.length = 0;
  await auditPage(visit);
  await dialog.getByLabel("URL").fill(receiver.url);
  await add.click();
  return await keepSecret(dialog);
}

const rowsOf = (page: Page, table: string): Locator =>
  page.getByRole("region", { name: table, exact: true }).getByRole("row");

walk("a webhook is added, tested, paused, followed and removed", "administrator", async (visit) => {
  const { page } = visit;
  await deposit("1");
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("No webhooks.", { exact: false }).waitFor();
  const secret = await addWebhook(visit);
  const webhook = rowsOf(page, "Webhooks").filter({ hasText: receiver.url });
  await webhook.getByText("working").waitFor();
  await webhook.getByText(`deposits, fills of ${uid}`).waitFor();

  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^Delivered in \d+ ms: status 200$/).waitFor();
  receiver.status = 503;
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText("Not delivered: status 503").waitFor();
  const deliveries = rowsOf(page, "Deliveries");
  await deliveries.nth(1).getByText("status 503").waitFor();
  const tests = receiver.received.filter(({ kind }) => kind === "test");
  assert.deepEqual(
    tests.map(({ isSignedWith }) => isSignedWith(secret)),
    [true, true],
  );

  await deposit("2");
  await deposit("3");
  await webhook.getByText(/^failing since \d{4}-/).waitFor();
  await webhook.getByRole("cell", { name: /503/ }).waitFor();
  await auditPage(visit);
  await visit.screenshot("operator-webhooks");
  await page.getByRole("button", { name: "Pause" }).click();
  await webhook.getByText("paused").waitFor();
  await webhook.getByRole("cell", { name: "2", exact: true }).waitFor();
  receiver.status = 200;
  await page.getByRole("button", { name: "Resume" }).click();
  await webhook.getByText("working").waitFor();
  await webhook.getByRole("cell", { name: "0", exact: true }).waitFor();

  const told = deliveries.filter({ hasText: /status 200/ }).filter({ hasText: "events" });
  await told
    .getByRole("button", { name: /^Send event again/ })
    .first()
    .click();
  const again = page.getByRole("dialog", { name: "Send an event again" });
  const sendAgain = again.getByRole("button", { name: "Send again" });
  await again.getByLabel("Event").fill("999");
  await sendAgain.click();
  await again.locator('input[aria-invalid="true"]').waitFor();
  visit.complaints.length = 0;
  await again.getByLabel("Event").fill("1");
  await sendAgain.click();
  await deliveries.nth(1).getByText("redelivery").waitFor();
  const last = receiver.received.at(-1);
  assert.deepEqual([last?.kind, last?.numbers], ["redelivery", [1]]);
  assert.ok(last?.isSignedWith(secret));
  await change(visit);
  await renewAndRemove(visit, secret);
});

/** Another URL, other events; refused first, then in force. */
async function change(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.getByRole("button", { name: "Change", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Change the webhook" });
  const url = dialog.getByLabel("URL");
  assert.equal(await url.inputValue(), receiver.url);
  assert.equal(await dialog.getByLabel("Fills of these users").inputValue(), `${uid}`);
  await url.fill("http://10.0.0.1/");
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await dialog.locator('input[aria-invalid="true"]').waitFor();
  visit.complaints.length = 0;
  await auditPage(visit);
  await url.fill(`${receiver.url}-2`);
  await dialog.getByLabel("fills", { exact: true }).uncheck();
  await dialog.getByLabel("halts").check();
  await dialog.getByRole("button", { name: "Save changes" }).click();
  await dialog.waitFor({ state: "detached" });
  const changed = rowsOf(page, "Webhooks").filter({ hasText: `${receiver.url}-2` });
  await changed.getByText("deposits, halts").waitFor();
  const { items } = await call<{ items: { kinds: string[]; accounts: number[] }[] }>(
    "GET",
    "webhooks",
  );
  assert.partialDeepStrictEqual(items, [{ kinds: ["deposits", "halts"], accounts: [] }]);
}

async function renewAndRemove(visit: Visit, oldSecret: string): Promise<void> {
  const { page } = visit;
  await page.getByRole("button", { name: "New secret" }).click();
  const dialog = page.getByRole("dialog", { name: "New secret" });
  const after = dialog.getByLabel("Go on after event");
  await after.fill("x");
  await dialog.getByRole("button", { name: "Renew the secret" }).click();
  await dialog.locator('input[aria-invalid="true"]').waitFor();
  visit.complaints.length = 0;
  await after.fill("");
  await dialog.getByRole("button", { name: "Renew the secret" }).click();
  const secret = await keepSecret(dialog);
  assert.notEqual(secret, oldSecret);
  // More tests than a page of deliveries has.
  const { items } = await call<{ items: { webhookId: string }[] }>("GET", "webhooks");
  const path = `webhooks/${items[0]?.webhookId}`;
  for (let i = 0; i < 20; i++) await call("POST", `${path}/tests`);
  assert.ok(receiver.received.at(-1)?.isSignedWith(secret));
  const pages = page.getByRole("navigation", { name: "Pages of deliveries" });
  await pages.getByRole("button", { name: "Next" }).click();
  await rowsOf(page, "Deliveries").getByText("redelivery").waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: "Remove the webhook" }).click();
  await page.getByText("No webhooks.", { exact: false }).waitFor();
  assert.deepEqual(await call("GET", "webhooks"), { items: [] });
}

walk("treasury tests webhooks, and reports what custody holds", "treasury", async (visit) => {
  const { page } = visit;
  await deposit("1000");
  const halts = { url: receiver.url, kinds: ["halts"] };
  const { webhookId } = await call<{ webhookId: string }>("POST", "webhooks", halts);
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("button", { name: `Open ${receiver.url}` }).click();
  await page.getByRole("button", { name: "Send a test" }).waitFor();
  for (const name of ["Add a webhook", "Pause", "New secret", "Remove"]) {
    assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
  }
  await call("DELETE", `webhooks/${webhookId}`);

  await page.getByRole("link", { name: "Reconciliation" }).click();
  await page.getByText("No balances reported yet.").waitFor();
  const { items } = await call<{ items: { amount: string }[] }>("GET", `users/${uid}/deposits`);
  const owed = items.reduce((sum, { amount }) => sum + Number(amount), 0);
  const row = rowsOf(page, "Balances by asset").filter({ hasText: "USDT" });
  await report(visit, "1", "-1");
  await row.getByText(`-${owed - 1}`.replace(/(\d)(\d{3})$/, "$1,$2"), { exact: true }).waitFor();
  assert.equal(await row.locator('[data-tone="bad"]').count(), 1);
  await auditPage(visit);
  await visit.screenshot("operator-reconciliation");
  await report(visit, String(owed + 5), null);
  await row.getByText("+5", { exact: true }).waitFor();
  assert.equal(await row.locator("[data-tone]").count(), 0);
});

/** Reports the only balance, after one that is refused. */
async function report(visit: Visit, amount: string, refused: string | null): Promise<void> {
  const { page } = visit;
  await page.getByRole("button", { name: "Report balances" }).click();
  const dialog = page.getByRole("dialog", { name: "Report balances" });
  await dialog.getByLabel("Asset 1").fill("usdt");
  const send = dialog.getByRole("button", { name: "Report", exact: true });
  if (refused !== null) {
    await dialog.getByLabel("Amount 1").fill(refused);
    await send.click();
    await dialog.getByRole("alert").first().waitFor();
    visit.complaints.length = 0;
    await auditPage(visit);
  }
  await dialog.getByLabel("Amount 1").fill(amount);
  await send.click();
  await dialog.waitFor({ state: "detached" });
}

walk("a viewer reads", "viewer", async ({ page }) => {
  await page.getByRole("link", { name: "Reconciliation" }).click();
  await page.getByRole("region", { name: "Balances by asset" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Report balances" }).count(), 0);
  await page.getByRole("link", { name: "Webhooks" }).click();
  await page.getByText("No webhooks.", { exact: false }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Add a webhook" }).count(), 0);
});
