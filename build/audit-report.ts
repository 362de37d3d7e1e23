/**
 * What an answer of `npm audit --json` means for what is shipped. npm tells packages for
 * development from others, but the pages of the console are made from the former; the bill of
 * materials knows.
 */
import { billOfMaterials, type LockFile, nameOf } from "./bill-of-materials.ts";

export interface Verdict {
  readonly exitCode: 0 | 1 | 2;
  readonly lines: readonly string[];
}

interface Advisory {
  readonly title?: string;
  readonly url?: string;
}

interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  readonly via: readonly (string | Advisory)[];
  /** Places in the lock file. */
  readonly nodes: readonly string[];
}

/** 0: nothing known in what is shipped; 1: something; 2: nobody could say. */
export function auditVerdict(answer: string, lock: LockFile): Verdict {
  const report = parsed(answer);
  if (report?.vulnerabilities === undefined) {
    const why = report?.message ?? "npm did not say why";
    return {
      exitCode: 2,
      lines: [
        `Neither clean nor checked: the registry did not answer (${why}).`,
        "Run this where the registry of npm answers audits, before a release.",
      ],
    };
  }
  const shipped = new Set(billOfMaterials(lock).components.map((each) => each["bom-ref"]));
  const isShipped = ({ nodes }: Vulnerability): boolean =>
    nodes.some((place) => shipped.has(purlOf(place, lock)));
  const all = Object.values(report.vulnerabilities);
  const ours = all.filter(isShipped);
  const others = all.filter((each) => !isShipped(each));
  const count = `${shipped.size} packages that are shipped`;
  const head =
    ours.length === 0
      ? `Clean: nothing is known against the ${count}.`
      : `${ours.length} of the ${count} have known vulnerabilities:`;
  const tail = others.length === 0 ? [] : ["For development alone, not shipped:"];
  return {
    exitCode: ours.length === 0 ? 0 : 1,
    lines: [head, ...ours.map(lineOf), ...tail, ...others.map(lineOf)],
  };
}

function parsed(answer: string) {
  try {
    return JSON.parse(answer) as {
      readonly message?: string;
      readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
    };
  } catch {
    return null;
  }
}

function purlOf(place: string, lock: LockFile): string {
  const name = nameOf(place).replace("@", "%40");
  return `pkg:npm/${name}@${lock.packages[place]?.version}`;
}

function lineOf({ name, severity, via }: Vulnerability): string {
  const texts = via.map((cause) =>
    typeof cause === "string" ? `through ${cause}` : `${cause.title ?? ""} ${cause.url ?? ""}`,
  );
  return `  ${severity}  ${name}: ${texts.join("; ").trim()}`;
}
