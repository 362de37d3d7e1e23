/** The client of the exchange, for Node and browsers: `import { RialtoClient } from "rialto/client"`. */
export type { Statement, StatementVerdict } from "../affiliate-statement/index.ts";
export * from "./affiliate.ts";
export * from "./contract.ts";
export type { ApiCredentials, Credentials, SigningCredentials } from "./credentials.ts";
export { NetworkError, RialtoError } from "./errors.ts";
export type { CallOptions, HttpOptions } from "./http-calls.ts";
export { RialtoClient, type RialtoClientOptions } from "./rialto-client.ts";
export type { CallId } from "./route-table.ts";
export type { Answer, Body, Query } from "./route-types.ts";
export * from "./spot.ts";
export * from "./spot-v2.ts";
