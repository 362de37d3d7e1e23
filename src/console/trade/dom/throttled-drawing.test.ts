/** Proves the pace of drawings on a clock and frames of its own: none too early, none lost. */
import assert from "node:assert/strict";
import test from "node:test";
import { ThrottledDrawing } from "./throttled-drawing.ts";

const FRAME_MS = 10;
let frames: FrameRequestCallback[] = [];
let nowMs = 1_000;

globalThis.requestAnimationFrame = (callback) => frames.push(callback);

/** One frame of the screen. */
function frame(): void {
  nowMs += FRAME_MS;
  const due = frames;
  frames = [];
  for (const callback of due) callback(nowMs);
}

test("the first is drawn before the next frame, later ones thirty milliseconds apart", () => {
  const drawnAt: number[] = [];
  const drawing = new ThrottledDrawing(
    () => drawnAt.push(nowMs),
    () => nowMs,
  );
  const start = nowMs;
  for (let i = 0; i < 10; i++) {
    drawing.soon();
    drawing.soon();
    frame();
  }
  assert.deepEqual(
    drawnAt.map((time) => time - start),
    [10, 40, 70, 100],
  );
});

test("what was asked for last is drawn, and then the page is left alone", () => {
  let value = 0;
  const drawn: number[] = [];
  const drawing = new ThrottledDrawing(
    () => drawn.push(value),
    () => nowMs,
  );
  for (value = 1; value <= 2; value++) {
    drawing.soon();
    frame();
  }
  value = 3;
  for (let i = 0; i < 5; i++) frame();
  assert.deepEqual(drawn, [1, 3]);
  assert.equal(frames.length, 0);
});

test("a cancelled drawing does not happen", () => {
  const drawing = new ThrottledDrawing(
    () => assert.fail("drawn"),
    () => nowMs,
  );
  drawing.soon();
  drawing.cancel();
  frame();
});
