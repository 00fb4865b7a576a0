import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Where a service of one's own listens, for `npm run dev`. */
const service = process.env.OCTAVO_URL ?? 'http://127.0.0.1:1337';
const APIS = '^/(admin/(?!src|node_modules|@)|content-manager|content-type-builder|upload|i18n|users-permissions|email|octavo)';

export default defineConfig(({ command }) => ({
  // Addresses are relative to `<base>` in the page, which the service writes: the pages may lie anywhere.
  base: command === 'build' ? './' : '/admin/',
  plugins: [svelte()],
  resolve: { alias: { $lib: here('./src') } },
  build: {
    outDir: here(process.env.OCTAVO_PAGES ?? '../src/octavo/admin/pages'),
    emptyOutDir: true,
    target: 'es2022',
    // Nothing inlined: the policy of the pages allows files of our own origin only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Digests that the service knows as such: these files may be kept for ever.
        hashCharacters: 'hex',
        entryFileNames: 'assets/[name]-[hash:12].js',
        chunkFileNames: 'assets/[name]-[hash:12].js',
        assetFileNames: 'assets/[name]-[hash:12][extname]',
      },
    },
  },
  server: { proxy: { [APIS]: { target: service, changeOrigin: true, bypass: (request) => (request.headers.accept?.includes('text/html') ? request.url : undefined) } } },
}));
