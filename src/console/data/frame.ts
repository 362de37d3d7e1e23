/** Batches drawing into animation frames: two hundred updates a second cost sixty draws. */

const waiting = new Set<() => void>();
let requested = false;

/** Runs `draw` once before the next frame, however often it is scheduled. */
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

export function cancelDraw(draw: () => void): void {
  waiting.delete(draw);
}
