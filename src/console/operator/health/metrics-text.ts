/** Parses the Prometheus text format as the exchange writes it. */

export interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+-?\d+)?$/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Skips comments and malformed lines. */
export function readMetrics(text: string): MetricSample[] {
  const samples: MetricSample[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) continue;
    const [, name, labels = "", number] = LINE.exec(line.trim()) ?? [];
    if (name === undefined || number === undefined) continue;
    const value = numberOf(number);
    if (!Number.isNaN(value)) samples.push({ name, labels: readLabels(labels), value });
  }
  return samples;
}

function numberOf(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  if (text === "-Inf") return Number.NEGATIVE_INFINITY;
  return Number(text);
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(LABEL)) {
    labels[name] = value.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
  }
  return labels;
}

/** Sum over all labels of a name; 0 if there are no samples. */
export function totalOf(samples: readonly MetricSample[], name: string): number {
  let total = 0;
  for (const sample of samples) if (sample.name === name) total += sample.value;
  return total;
}
