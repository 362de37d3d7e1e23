/**
 * What is in the program that others get, as CycloneDX: every package that it loads or that is in
 * its pages, with version, licence and digest, read from the lock file. The same lock file gives
 * the same bytes.
 */

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Packages for development whose code is in the pages of the console and of the reference. */
export const IN_PAGES = ["klinecharts", "react", "react-dom", "uplot", "uqr", "wouter"] as const;

export interface Component {
  readonly type: "library";
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly expression: string }[];
  readonly hashes: readonly { readonly alg: "SHA-512"; readonly content: string }[];
}

/** Everything that is shipped, by name and version. */
export function billOfMaterials(lock: LockFile) {
  const root = lock.packages[""];
  const wanted = [...Object.keys(root?.dependencies ?? {}), ...IN_PAGES];
  const places = new Set<string>();
  for (const name of wanted) follow(lock, "", name, places);
  const components = [...places].map((place) => componentOf(place, lock.packages[place] ?? {}));
  const unique = new Map(components.map((component) => [component["bom-ref"], component]));
  const { version = "" } = root ?? {};
  const purl = `pkg:npm/rialto@${version}`;
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": purl, name: "rialto", version, purl },
    },
    components: [...unique.values()].sort((one, other) =>
      one["bom-ref"] < other["bom-ref"] ? -1 : 1,
    ),
  };
}

/** Adds the package that `from` gets for a name, and all that it needs itself. */
function follow(lock: LockFile, from: string, name: string, places: Set<string>): void {
  const place = placeOf(lock, from, name);
  // Optional ones are for other platforms, or not installed.
  if (place === null || places.has(place)) return;
  places.add(place);
  for (const needed of Object.keys(lock.packages[place]?.dependencies ?? {})) {
    follow(lock, place, needed, places);
  }
}

/** As Node looks for it: in the folder of the package itself, then in those above. */
function placeOf({ packages }: LockFile, from: string, name: string): string | null {
  for (let folder = from; ; ) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (place in packages) return place;
    if (folder === "") return null;
    const end = folder.lastIndexOf("node_modules/");
    folder = folder.slice(0, Math.max(0, end - 1));
  }
}

/** Of the package at a place in the lock file. */
export function nameOf(place: string): string {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}

function componentOf(place: string, locked: LockedPackage): Component {
  const name = nameOf(place);
  const { integrity = "", license = "NOASSERTION", version = "" } = locked;
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const digest = /^sha512-(.+)$/.exec(integrity)?.[1] ?? "";
  return {
    type: "library",
    "bom-ref": purl,
    name,
    version,
    purl,
    licenses: [{ expression: license }],
    hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }],
  };
}
