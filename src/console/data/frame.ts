/**
 * Drawing at the pace of the screen: what many updates asked for is done once before the next
 * frame, so that two hundred updates a second cost sixty drawings.
 */

const waiting = new Set<() => void>();
let requested = false;

/** Runs `draw` once before the next frame, however often it is asked for until then. */
export function scheduleDraw(draw: () => void): void {
  waiting.add(draw);
  if (requested) return;
  requested = true;
  requestAnimationFrame(() => {
    requested = false;
    const due = [...waiting];
    waiting.clear();
    for (const task of due) task();
  });
}

/** Forgets a drawing that is not wanted any more. */
export function cancelDraw(draw: () => void): void {
  waiting.delete(draw);
}
