import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Where a service of one's own listens, for `npm run dev`. */
const service = process.env.OCTAVO_URL ?? 'http://127.0.0.1:1337';
const APIS = '^/(admin/(?!src|node_modules|@)|content-manager|content-type-builder|upload|i18n|users-permissions|email|octavo)';

/** What floats above pages: loaded when the first page stands. */
const FLOATING = /node_modules\/(bits-ui|@floating-ui|svelte-toolbelt|runed|tabbable)\/|src\/ui\/(DialogBox|MenuList|Tabs)\./;
/** What most pages are made of. */
const KIT = /node_modules\/(svelte|sv-router|@tanstack|@lucide)\/|src\/(ui\/(?!DialogBox|MenuList|Tabs|Sortable)|api|app|messages|content\/model)/;

export default defineConfig(({ command }) => ({
  // Addresses are relative to `<base>` in the page, which the service writes: the pages may lie anywhere.
  base: command === 'build' ? './' : '/admin/',
  plugins: [svelte()],
  resolve: {
    alias: [
      { find: '$lib', replacement: here('./src') },
      // What draws lucide's icons: see there.
      { find: /^\.\.\/Icon\.svelte$/, replacement: here('./src/ui/Icon.svelte') },
    ],
  },
  build: {
    outDir: here(process.env.OCTAVO_PAGES ?? '../src/octavo/api/admin/pages'),
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inlined: the policy of the pages allows files of our own origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One sheet for all pages: it is small, and nothing is shown without its style.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Names without digests: a change touches only its own files. The service adds the version to their folder.
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
        // Few files: a browser asks for six at a time, and each of forty small ones waits for its turn.
        codeSplitting: {
          groups: [
            { name: 'floating', test: FLOATING, includeDependenciesRecursively: false, priority: 1 },
            { name: 'kit', test: KIT, minShareCount: 2, priority: 2 },
          ],
        },
      },
    },
  },
  server: { proxy: { [APIS]: { target: service, changeOrigin: true, bypass: (request) => (request.headers.accept?.includes('text/html') ? request.url : undefined) } } },
}));
