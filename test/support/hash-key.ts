/** Keys for the engine's hash tables; under either one its results are the same. */
export const HASH_KEY = { high: 0x243f6a88, low: 0x85a308d3 };
export const OTHER_HASH_KEY = { high: 0x13198a2e, low: 0x03707344 };
