/**
 * The token stays in the memory of the page; in the tab's session storage only when the operator
 * says so, where it ends with the tab. Never in local storage, never in an address.
 */
const STORED = "rialto.operator";

export interface OperatorLogin {
  readonly token: string;
  /** Who asks, for the audit. */
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
