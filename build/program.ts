/**
 * Joins the compiled program and the packages that it uses into a few files, `dist/cli`: a start
 * reads ten files instead of a thousand, and none that it does not need. Names and lines stay
 * readable; nothing is minified.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { compile } from "./compile.ts";

/** The folder of a module's package. */
const PACKAGE = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//;
/** What is started: the command line, the exchanges of the test kit, and every thread. */
const ENTRIES = ["cli/main", "cli/several-exchanges"];
const THREADS = "**/*-worker.js";
/** Compiled code, which `ws` works without. */
const LEFT_OUT = ["bufferutil", "utf-8-validate"];

/** Everything but the console, with the folders of the sources, in `code`. */
export function compileProgram(code: string): void {
  compile("tsconfig.code.json", "--outDir", code);
  // Modules of threads are named in URLs, whose endings the compiler leaves alone.
  for (const path of globSync("**/*.js", { cwd: code })) {
    const file = join(code, path);
    const text = readFileSync(file, "utf8");
    const named = text.replace(
      /new URL\("(.+?)\.ts", import\.meta\.url\)/g,
      (_, module: string) => `new URL("${module}.js", import.meta.url)`,
    );
    if (named !== text) writeFileSync(file, named);
  }
}

/** `code` is the compiled program with the folders of its sources; `output` lies beside it. */
export async function bundleProgram(code: string, output: string): Promise<void> {
  const threads = globSync(THREADS, { cwd: code }).map((path) => path.replace(/\.js$/, ""));
  const input = [...ENTRIES, ...threads].map((path) => [path.replace(/^.*\//, ""), path] as const);
  const bundle = await rolldown({
    input: Object.fromEntries(input.map(([name, path]) => [name, join(code, `${path}.js`)])),
    platform: "node",
    external: LEFT_OUT,
    plugins: [fromOneFolder(code), readingOnlyWhatIsNamed(), whenUsed()],
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  const { output: files } = await bundle.write({
    dir: output,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "part-[name].js",
  });
  const chunks = files.filter((file) => file.type === "chunk");
  for (const { code, fileName } of chunks) writeFileSync(join(output, fileName), inAscii(code));
  writeFileSync(join(output, "LICENSES.txt"), licensesOf(chunks));
}

/** One other character, and V8 keeps a file of a megabyte with two bytes for each. */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (one) => {
    return `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Paths to documents and pages begin in the folder of the source, one or more below the root's. */
function fromOneFolder(code: string): Plugin {
  return {
    name: "from-one-folder",
    transform(text, id) {
      if (!id.startsWith(code) || !text.includes("import.meta.dirname")) return null;
      const [, ...deeper] = relative(code, id).split("/").slice(0, -1);
      if (deeper.length === 0) return null;
      const path = `\`\${import.meta.dirname}/${deeper.join("/")}\``;
      return { code: text.replaceAll("import.meta.dirname", path) };
    },
  };
}

/**
 * Modules of Node with exports that load something when they are read, and those of them that the
 * program uses. An `import` reads all of them: that of `node:http` loads a client of HTTP that
 * nothing here uses, a tenth of a start.
 */
const READ_AT_IMPORT: Readonly<Record<string, readonly string[]>> = {
  "node:http": [],
  "node:crypto": [],
  "node:fs": ["promises"],
  "node:util": [],
  "node:process": [],
};

/** Imports of such a module read what they name. */
function readingOnlyWhatIsNamed(): Plugin {
  return {
    name: "reading-only-what-is-named",
    resolveId(source, _importer, { kind }) {
      const isImport = kind !== "require-call" && Object.hasOwn(READ_AT_IMPORT, source);
      return isImport ? `\0${source}` : null;
    },
    async load(id) {
      const used = READ_AT_IMPORT[id.slice(1)];
      if (used === undefined) return null;
      const exported = Object.entries(
        Object.getOwnPropertyDescriptors(process.getBuiltinModule(id.slice(1))),
      );
      const names = exported
        .filter(([name, { get }]) => get === undefined || used.includes(name))
        .map(([name]) => name)
        .filter((name) => name !== "default" && /^\w+$/.test(name));
      return `const loaded = process.getBuiltinModule("${id.slice(1)}");
        export default loaded;
        export const { ${names.join(", ")} } = loaded;`;
    },
  };
}

/** What packages load at the start for uses that an exchange does not have. */
const RARELY_USED = /^(node:)?(http2|https|tls)$/;

/** Such a module of Node is loaded when something of it is used. */
function whenUsed(): Plugin {
  return {
    name: "when-used",
    resolveId(source, _importer, { kind }) {
      const isAsked = kind === "require-call" && RARELY_USED.test(source);
      return isAsked ? `\0when-used:${source.replace("node:", "")}` : null;
    },
    load(id) {
      const [, name] = /^\0when-used:(.*)$/.exec(id) ?? [];
      if (name === undefined) return null;
      return `module.exports = new Proxy({}, {
        get: (_, key) => process.getBuiltinModule("node:${name}")[key],
      });`;
    },
  };
}

/** The licences of the packages whose code is in the files; each has to come along. */
function licensesOf(chunks: readonly OutputChunk[]): string {
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  const folders = modules.flatMap((id) => PACKAGE.exec(id)?.[1] ?? []);
  return [...new Set(folders)].toSorted().map(licenseOf).join("\n");
}

function licenseOf(folder: string): string {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [file] = globSync("{LICENSE,LICENCE,license,License}*", { cwd: folder });
  const path = join(folder, file ?? "LICENSE");
  const text = existsSync(path) ? readFileSync(path, "utf8") : `License: ${license}\n`;
  return `${name} ${version}\n\n${text.trim()}\n`;
}
