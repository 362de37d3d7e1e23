/** Secrets of the exchange: the master key, API secrets, the operator's token. */
export { type KeyReplica, openKeyReplica } from "./key-replica.ts";
export { findMasterKeys, KeyVault, rotateMasterKey } from "./key-vault.ts";
export { currentOperatorToken, openOperatorToken, readOperatorToken } from "./operator-token.ts";
export { UnusableSecrets } from "./private-file.ts";
