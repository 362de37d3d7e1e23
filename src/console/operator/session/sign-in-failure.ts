/** Why somebody could not sign in, in words that say what to do. */
import { RialtoError } from "../../../client/index.ts";

const UNAUTHORIZED = 401;

export const isUnauthorized = (error: unknown): boolean =>
  error instanceof RialtoError && error.status === UNAUTHORIZED;

export function wordsOf(error: unknown): string {
  if (isUnauthorized(error)) return "This is not the token of this venue.";
  if (error instanceof RialtoError) return error.message;
  const why = error instanceof Error ? error.message : String(error);
  return `The operator plane does not answer (${why}). Is the exchange running?`;
}
