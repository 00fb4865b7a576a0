import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** The URL of the service for `npm run dev`. */
const service = process.env.OCTAVO_URL ?? 'http://127.0.0.1:1337';
const APIS = '^/(admin/(?!src|node_modules|@)|content-manager|content-type-builder|upload|i18n|users-permissions|email|octavo)';

/** Dialogs and menus, loaded after the first page is shown. */
const FLOATING = /node_modules\/(bits-ui|@floating-ui|svelte-toolbelt|runed|tabbable)\/|src\/ui\/(DialogBox|MenuList|Tabs)\./;
/** Code that most pages use. */
const KIT = /node_modules\/(svelte|sv-router|@tanstack|@lucide)\/|src\/(ui\/(?!DialogBox|MenuList|Tabs|Sortable)|api|app|messages|content\/model)/;

export default defineConfig(({ command }) => ({
  // URLs are relative to `<base>` in the page, which the service writes, so the pages can have any path.
  base: command === 'build' ? './' : '/admin/',
  plugins: [svelte()],
  resolve: {
    alias: [
      { find: '$lib', replacement: here('./src') },
      // Our component for lucide's icons; it explains the reason.
      { find: /^\.\.\/Icon\.svelte$/, replacement: here('./src/ui/Icon.svelte') },
    ],
  },
  build: {
    outDir: here(process.env.OCTAVO_PAGES ?? '../src/octavo/api/admin/pages'),
    emptyOutDir: true,
    target: 'es2022',
    // Inline nothing: the content security policy allows only files from our origin.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One small style sheet for all pages, so that nothing is shown without its style.
    cssCodeSplit: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Names without digests, so that a change affects only its own files. The service adds the version to the
        // folder.
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
        // Few files, because browsers load six at a time, and forty small ones would wait for each other.
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
