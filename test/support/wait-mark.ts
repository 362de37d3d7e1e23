/** Begins a line that says what a test waits for: the runner takes it for no sign of life. */
export const WAIT_MARK = "# waits until ";
