/** Waits for what another process does. The bound of the test run ends what never comes. */

const PAUSE_MS = 20;
/** Between two lines that say what is waited for. */
const REMIND_MS = 5000;

export async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  let remindedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - remindedMs > REMIND_MS) {
      remindedMs = performance.now();
      console.log(`# waits until ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
