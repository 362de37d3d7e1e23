/**
 * Keys stay in memory, or on request in the tab's session storage, which ends with the tab. Never
 * in local storage, never in a URL.
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
