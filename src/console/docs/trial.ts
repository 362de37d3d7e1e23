/**
 * "Try it": sends a call from the page, signed in the browser with a demo key, or with the key that
 * this tab is signed in with. Offered where keys are worth nothing: on a demo and in a sandbox.
 */
import { type ApiCredentials, Signer } from "../../client/index.ts";
import { readStoredCredentials } from "../session/stored-credentials.ts";
import type { Venue } from "../session/venue.tsx";

interface Account extends ApiCredentials {
  readonly name: string;
}

export async function openTrials(): Promise<void> {
  const forms = [...document.querySelectorAll<HTMLFormElement>("form.try")];
  if (forms.length === 0) return;
  const venue = await fetchVenue();
  if (venue === null) return;
  const accounts = accountsOf(venue);
  if (accounts.length === 0) return;
  for (const form of forms) openTrial(form, accounts);
}

/** Null where the console would not trade, either. */
async function fetchVenue(): Promise<Venue | null> {
  try {
    const answer = await fetch("/console/venue");
    if (!answer.ok) return null;
    const venue = (await answer.json()) as Venue;
    return venue.profile === "demo" || venue.sandbox ? venue : null;
  } catch {
    return null;
  }
}

function accountsOf({ demoAccounts }: Venue): readonly Account[] {
  const last = demoAccounts.at(-1)?.uid;
  const demo = demoAccounts.map((account) => ({
    ...account,
    name: `${account.uid === last ? "Affiliate" : "Trader"} ${account.uid}`,
  }));
  const stored = readStoredCredentials();
  const isDemo = demo.some(({ apiKey }) => apiKey === stored?.apiKey);
  return stored === null || isDemo ? demo : [{ ...stored, name: "Signed in" }, ...demo];
}

function openTrial(form: HTMLFormElement, accounts: readonly Account[]): void {
  const isSigned = form.dataset.signed === "true";
  const choice = isSigned ? accountChoice(form, accounts) : null;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const account = accounts[Number(choice?.value ?? 0)];
    void submit(form, isSigned ? (account ?? null) : null);
  });
  form.hidden = false;
}

function accountChoice(form: HTMLFormElement, accounts: readonly Account[]): HTMLSelectElement {
  const select = document.createElement("select");
  select.setAttribute("aria-label", "Sign as");
  for (const [index, { name }] of accounts.entries()) select.append(new Option(name, `${index}`));
  const { path = "" } = form.dataset;
  const stored = readStoredCredentials()?.apiKey;
  const current = accounts.findIndex(({ apiKey }) => apiKey === stored);
  const affiliate = accounts.findIndex(({ name }) => name.startsWith("Affiliate"));
  const fitting = path.includes("/affiliate/") ? affiliate : current;
  select.value = String(Math.max(0, fitting));
  form.querySelector(".who")?.append("signed in this page as ", select);
  return select;
}

async function submit(form: HTMLFormElement, account: Account | null): Promise<void> {
  const button = form.querySelector<HTMLButtonElement>("button[type=submit]");
  const outcome = form.querySelector<HTMLElement>(".outcome");
  if (button === null || outcome === null) return;
  button.disabled = true;
  try {
    const { status, text, elapsedMs } = await send(form, account);
    showAnswer(outcome, `HTTP ${status} in ${elapsedMs} ms`, prettyJson(text), status < 400);
  } catch (error) {
    showAnswer(outcome, "Not sent", error instanceof Error ? error.message : String(error), false);
  } finally {
    button.disabled = false;
  }
}

interface Received {
  readonly status: number;
  readonly text: string;
  readonly elapsedMs: number;
}

async function send(form: HTMLFormElement, account: Account | null): Promise<Received> {
  const { method = "GET", path = "" } = form.dataset;
  const target = path + queryOf(form);
  const body = bodyOf(form);
  const headers =
    account === null
      ? {}
      : await new Signer(account).headers(await exchangeMs(), method, target, body);
  const began = performance.now();
  const answer = await fetch(target, {
    method,
    headers: body === "" ? headers : { ...headers, "Content-Type": "application/json" },
    ...(body === "" ? {} : { body }),
    cache: "no-store",
  });
  const text = await answer.text();
  return { status: answer.status, text, elapsedMs: Math.round(performance.now() - began) };
}

/** Empty fields are left out. */
function queryOf(form: HTMLFormElement): string {
  const pairs: string[] = [];
  for (const { name, value } of form.querySelectorAll("input")) {
    if (value !== "") pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  }
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function bodyOf(form: HTMLFormElement): string {
  const area = form.querySelector("textarea");
  if (area === null) return "";
  try {
    return JSON.stringify(JSON.parse(area.value));
  } catch (error) {
    throw new Error(`The body is not JSON: ${error instanceof Error ? error.message : ""}`);
  }
}

/** Signatures carry exchange time, which a sandbox moves. */
async function exchangeMs(): Promise<number> {
  const answer = await fetch("/api/v3/time", { cache: "no-store" });
  return ((await answer.json()) as { readonly serverTime: number }).serverTime;
}

function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function showAnswer(outcome: HTMLElement, line: string, text: string, ok: boolean): void {
  const head = document.createElement("p");
  head.textContent = line;
  head.dataset.ok = String(ok);
  const code = document.createElement("pre");
  code.tabIndex = 0;
  code.textContent = text;
  outcome.replaceChildren(head, code);
}
