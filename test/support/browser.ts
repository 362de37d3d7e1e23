/**
 * A real browser for tests of pages: started once per file, with a fresh context for each visit. A
 * visit reaches one origin; requests to other origins are blocked and recorded, as are all errors
 * of the page.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
  chromium as playwright,
  type Request,
} from "playwright-core";

/** Of any wait inside a page, on a machine that is busy with other tests. */
const WAIT_MS = 300_000;

/**
 * Without those that the package would add: one process for all would end with its first context,
 * and web security stays on.
 */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--font-render-hinting=none"];

/** A folder where pictures of the pages stay. */
const SCREENSHOTS = process.env.RIALTO_TEST_SCREENSHOTS;

/** Of the reader; a browser without one takes that of the machine, which may be none. */
const LOCALE = "en-US";

/** Runs in every page before its own scripts. */
const REPORT_VIOLATIONS = `
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
  console.error("content policy: " + violatedDirective + " " + blockedURI);
});`;

export interface VisitOptions {
  readonly width?: number;
  readonly height?: number;
  readonly colorScheme?: "light" | "dark";
  /** Sockets are neither guarded nor slowed down: for benchmarks. */
  readonly bareSockets?: true;
}

/** Why there is no browser on this machine; null where there is one. */
export function browserMissing(): string | null {
  if (process.env.RIALTO_TEST_BROWSER !== undefined) return null;
  if (process.platform === "linux" && process.arch === "x64") return null;
  return (
    `the browser of the tests runs on Linux x64, not on ${process.platform} ${process.arch}; ` +
    "RIALTO_TEST_BROWSER=<path to Chromium> names another"
  );
}

export class TestBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async launch(): Promise<TestBrowser> {
    const executablePath = process.env.RIALTO_TEST_BROWSER ?? (await chromium.executablePath());
    const args = [...ARGUMENTS];
    return new TestBrowser(await playwright.launch({ executablePath, args, headless: true }));
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  /** A new window of somebody who was never here, and who may reach this origin alone. */
  async visit(origin: string, options: VisitOptions = {}): Promise<Visit> {
    const { width = 1280, height = 900, colorScheme = "light" } = options;
    const viewport = { width, height };
    const context = await this.#browser.newContext({ viewport, colorScheme, locale: LOCALE });
    context.setDefaultTimeout(WAIT_MS);
    return await Visit.open(context, origin, options.bareSockets === true);
  }
}

export class Visit {
  readonly page: Page;
  /** What the page asked of other hosts; it got nothing. */
  readonly strayRequests: string[] = [];
  /** Errors on the console, exceptions, breaches of the content policy, failed requests. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
  }

  static async open(context: BrowserContext, origin: string, bareSockets: boolean): Promise<Visit> {
    const visit = new Visit(context, await context.newPage());
    await visit.#watch(new URL(origin).host, bareSockets);
    return visit;
  }

  async #watch(host: string, bareSockets: boolean): Promise<void> {
    const { page } = this;
    const isAtHome = (url: URL) => url.host === host || url.protocol === "data:";
    await this.#context.route(
      (url) => !isAtHome(url),
      async (route) => {
        this.strayRequests.push(route.request().url());
        await route.abort("blockedbyclient");
      },
    );
    // This puts a socket of its own into the page, in place of the browser's.
    if (!bareSockets) {
      await page.routeWebSocket(
        (url) => !isAtHome(url),
        async (socket) => {
          this.strayRequests.push(socket.url());
          await socket.close();
        },
      );
    }
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("requestfailed", (request: Request) => {
      const why = request.failure()?.errorText ?? "";
      // A page gives up questions whose answers it does not need any more.
      if (why !== "net::ERR_ABORTED") this.complaints.push(`${request.url()}: ${why}`);
    });
    await page.addInitScript({ content: REPORT_VIOLATIONS });
  }

  /** The page has asked nobody else for anything, and nothing went wrong in it. */
  assertClean(): void {
    assert.deepEqual(this.strayRequests, [], "requests to other hosts");
    assert.deepEqual(this.complaints, []);
  }

  /** Another tab, which the page opens: it has the page's session, too. */
  async newTab(url: string): Promise<Page> {
    const opened = this.#context.waitForEvent("page");
    await this.page.evaluate(`void open(${JSON.stringify(url)})`);
    return await opened;
  }

  /** Goes to a place of the page that is open. */
  async jump(place: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  }

  /** What can be read of the elements, without what is hidden. */
  async textOf(locator: Locator): Promise<string> {
    return (await locator.allInnerTexts()).join("\n").trim();
  }

  /** As a PNG file, where somebody wants to see it: drawing it is expensive. */
  async screenshot(name: string): Promise<void> {
    if (SCREENSHOTS === undefined) return;
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.#context.close();
  }
}
