/**
 * Builds the console (`src/console`) into `dist/console`: files with the digest of their content in
 * their names, each also compressed, which the gateway and the operator API serve as they are.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { build } from "vite";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src/console");
const OUTPUT = join(ROOT, "dist/console");
/** What a browser must understand; all of them are older than Rialto. */
const TARGET = "es2023";
const COMPRESSED = /\.(html|js|css|svg|txt)$/;

await build({
  configFile: false,
  root: SOURCE,
  base: "/console/",
  logLevel: "warn",
  plugins: [react()],
  build: {
    outDir: OUTPUT,
    emptyOutDir: true,
    target: TARGET,
    // A polyfill would be an inline script, which the content policy forbids.
    modulePreload: { polyfill: false },
    // Everything is a file of our own host; a data: address would need an exception.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1_000,
    rollupOptions: {
      input: {
        exchange: join(SOURCE, "index.html"),
        operator: join(SOURCE, "operator.html"),
        docs: join(SOURCE, "docs.html"),
      },
    },
  },
});
compressAll();

function compressAll(): void {
  const files = readdirSync(OUTPUT, { recursive: true, withFileTypes: true });
  for (const file of files) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    if (!COMPRESSED.test(path)) continue;
    const bytes = readFileSync(path);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
    keepIfSmaller(`${path}.br`, brotliCompressSync(bytes, quality), bytes);
    keepIfSmaller(`${path}.gz`, gzipSync(bytes, { level: 9 }), bytes);
  }
}

function keepIfSmaller(path: string, compressed: Buffer, bytes: Buffer): void {
  if (compressed.length < bytes.length) writeFileSync(path, compressed);
  else rmSync(path, { force: true });
}
