/** What a program costs in seconds of the processor, which no other work makes longer. */

/**
 * A script for `sh -c`: runs its arguments, and then writes to descriptor 3 what they took, with
 * all processes that they started and waited for.
 */
export const TIMED = '"$@" 3>&-; code=$?; times >&3; exit "$code"';

/** The second line of the shell's `times`: user and system time of its children; 0 without it. */
export function processorSeconds(times: string): number {
  const found = [...(times.split("\n")[1] ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  return found.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0);
}
