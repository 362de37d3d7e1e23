/** Secrets of the exchange: the master key, API secrets, the operator's token. */
export { type KeyReplica, openKeyReplica } from "./key-replica.ts";
export { findMasterKeys, KeyVault } from "./key-vault.ts";
export { addMasterKey, dropOlderMasterKeys, type MasterKeyRing } from "./master-key.ts";
export { currentOperatorToken, openOperatorToken, readOperatorToken } from "./operator-token.ts";
export { UnusableSecrets } from "./private-file.ts";
export { removeOutdatedCopy, resealKeys, rotateMasterKey } from "./rotation.ts";
