/** Why signing in failed, and what to do about it. */
import { RialtoError } from "../../../client/index.ts";

const UNAUTHORIZED = 401;

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof RialtoError && error.status === UNAUTHORIZED;

export function signInMessage(error: unknown): string {
  if (isUnauthorized(error)) return "Wrong operator token.";
  if (error instanceof RialtoError) return error.message;
  const why = error instanceof Error ? error.message : String(error);
  return `The operator API is not responding (${why}). Is the exchange running?`;
}
