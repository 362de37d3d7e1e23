/** A small bug in a source: what is written there, and what stands in its place. */
export interface Plant {
  /** From the root of the repository. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly original: string;
  readonly replacement: string;
}

/** The source with it. */
export function planted(source: string, { start, end, original, replacement }: Plant): string {
  if (source.slice(start, end) !== original) throw new Error("the source has changed since");
  return source.slice(0, start) + replacement + source.slice(end);
}
