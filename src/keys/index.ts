/** Secrets of the exchange: the master key, API secrets, the operator's token. */
export { KeyVault } from "./key-vault.ts";
export { openOperatorToken } from "./operator-token.ts";
export { UnusableSecrets } from "./private-file.ts";
