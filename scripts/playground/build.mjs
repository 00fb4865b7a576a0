// npm install && npm run build: writes graphiql.js, graphiql.css and LICENSES.txt where Octavo serves them from.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../../src/octavo/api/graphql/transport/playground");

// The style brings fonts as data; the system's do, and the page may load no fonts.
const withoutFonts = {
  name: "without-fonts",
  setup(bundle) {
    bundle.onLoad({ filter: /\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/@font-face\s*\{[^}]*\}/g, ""),
      loader: "css",
    }));
  },
};

const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { graphiql: "entry.js" },
  outdir: target,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "iife",
  target: "es2020",
  legalComments: "none",
  metafile: true,
  loader: { ".png": "dataurl" },
  define: { "process.env.NODE_ENV": '"production"' },
  plugins: [withoutFonts],
});

const folders = new Set();
for (const input of Object.keys(metafile.inputs)) {
  const found = input.match(/^.*node_modules\/(@[^/]+\/)?[^/]+/);
  if (found) folders.add(found[0]);
}
const texts = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
  const file = readdirSync(join(here, folder)).find((item) => /^licen[cs]e/i.test(item));
  const text = file ? readFileSync(join(here, folder, file), "utf8").trim() : `License: ${license}`;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync(join(target, "LICENSES.txt"), `What graphiql.js and graphiql.css are made of.\n\n${texts.join("\n---\n\n")}`);
