/**
 * Keys stay in the memory of the page; in the tab's session storage only when the user says so,
 * where they end with the tab. Never in local storage, never in an address.
 */
import type { ApiCredentials } from "../../client/index.ts";

const STORED = "rialto.credentials";

export function readStoredCredentials(): ApiCredentials | null {
  const text = sessionStorage.getItem(STORED);
  if (text === null) return null;
  try {
    const { apiKey, secret, passphrase } = JSON.parse(text) as Partial<ApiCredentials>;
    const whole = [apiKey, secret, passphrase].every((part) => typeof part === "string");
    return whole ? ({ apiKey, secret, passphrase } as ApiCredentials) : null;
  } catch {
    return null;
  }
}

export function storeCredentials(credentials: ApiCredentials | null): void {
  if (credentials === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, JSON.stringify(credentials));
}
