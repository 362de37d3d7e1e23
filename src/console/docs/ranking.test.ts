/** Proves what the search of the reference finds first. */
import assert from "node:assert/strict";
import test from "node:test";
import { rank, type SearchEntry } from "./ranking.ts";

const entry = (title: string, place: string, words = ""): SearchEntry => ({
  title,
  place,
  url: `/docs/${title}`,
  words,
});
const ENTRIES = [
  entry("Streams", "Guides", "order updates"),
  entry("Place an order", "POST /api/v3/order", "symbol side"),
  entry("Reorder", "Guides"),
  entry("40008 Timestamp expired", "Error, HTTP 400", "error code"),
];
const found = (text: string) => rank(ENTRIES, text).map(({ title }) => title);

test("a word in a title counts most, and most at its begin", () => {
  assert.deepEqual(found("order"), ["Place an order", "Reorder", "Streams"]);
});

test("every word must be there, in whatever case", () => {
  assert.deepEqual(found("ORDER symbol"), ["Place an order"]);
  assert.deepEqual(found("order nothing"), []);
  assert.deepEqual(found("  "), []);
  assert.deepEqual(found("40008"), ["40008 Timestamp expired"]);
});

test("the list is short", () => {
  const many = Array.from({ length: 40 }, (_, index) => entry(`Order ${index}`, "Guides"));
  assert.equal(rank(many, "order").length, 12);
});
