/**
 * A demo and a real browser for the tests of one file, which are not run where there is no browser.
 * Make one at the top of the file: it starts before the first test and ends after the last one.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, TestBrowser, type Visit, type VisitOptions } from "./browser.ts";
import { type ExchangeOptions, ExchangeProcess } from "./exchange-process.ts";
import { SignedClient } from "./signed-client.ts";

export const DEMO: ExchangeOptions = { profile: "demo", sandbox: true };

export class DemoSite {
  /** Of a test: why it is not run. */
  readonly skip: string | false = browserMissing() ?? false;
  #exchange: ExchangeProcess | null = null;
  #browser: TestBrowser | null = null;
  #trader: SignedClient | null = null;

  /** `prepare` ends before the first test begins. */
  constructor(options = DEMO, prepare?: (site: DemoSite) => Promise<unknown>) {
    before(async () => {
      if (this.skip !== false) return;
      this.#exchange = await ExchangeProcess.start(options);
      this.#browser = await TestBrowser.launch();
      await prepare?.(this);
    });
    after(async () => {
      this.#trader?.close();
      await this.#browser?.close();
      await this.#exchange?.stop();
    });
  }

  get exchange(): ExchangeProcess {
    assert.ok(this.#exchange !== null, "it runs while tests do");
    return this.#exchange;
  }

  get browser(): TestBrowser {
    assert.ok(this.#browser !== null, "it runs while tests do");
    return this.#browser;
  }

  get operatorOrigin(): string {
    return `http://127.0.0.1:${this.exchange.operatorPort}`;
  }

  /** Signs as the demo's first user. */
  get trader(): SignedClient {
    const [keys] = this.exchange.demo;
    assert.ok(keys !== undefined, "a demo has users");
    this.#trader ??= new SignedClient(this.exchange.port, keys);
    return this.#trader;
  }

  /** A test with a window of its own; `origin` is looked up when it runs. */
  walk(
    name: string,
    options: VisitOptions,
    body: (visit: Visit) => Promise<void>,
    origin = (): string => this.exchange.baseUrl,
  ): void {
    test(name, { skip: this.skip }, async () => {
      const visit = await this.browser.visit(origin(), options);
      try {
        await body(visit);
      } finally {
        await visit.close();
      }
    });
  }

  /** On the operator's page that asks for a token: with this one, or with the first operator's. */
  async signInOperator(page: Page, token?: string): Promise<void> {
    const { operatorToken } = JSON.parse(this.exchange.readyLine) as { operatorToken: string };
    await page.getByLabel("Operator token").fill(token ?? operatorToken);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("live", { exact: true }).waitFor();
  }
}
