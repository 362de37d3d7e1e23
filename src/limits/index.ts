/** What gateways in several threads count together, exactly: tables in shared memory. */
export {
  type ConnectionCounts,
  createConnectionCounts,
  openConnectionCounts,
  RowCounts,
} from "./connection-counts.ts";
export { HASH_KEY_BYTES } from "./keyed-hash.ts";
export { createTableMemory, type Kind, NONE, SharedTable } from "./shared-table.ts";
export { TokenBuckets } from "./token-buckets.ts";
