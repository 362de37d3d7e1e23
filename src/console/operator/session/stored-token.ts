/**
 * The token stays in memory, or on request in the tab's session storage, which ends with the tab.
 * Never in local storage, never in a URL.
 */
const STORED = "rialto.operator";

export interface OperatorLogin {
  readonly token: string;
  /** The operator's name, for the audit log. */
  readonly actor: string;
}

export function readStoredLogin(): OperatorLogin | null {
  const text = sessionStorage.getItem(STORED);
  if (text === null) return null;
  try {
    const { token, actor } = JSON.parse(text) as Partial<OperatorLogin>;
    return typeof token === "string" && typeof actor === "string" ? { token, actor } : null;
  } catch {
    return null;
  }
}

export function storeLogin(login: OperatorLogin | null): void {
  if (login === null) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, JSON.stringify(login));
}
