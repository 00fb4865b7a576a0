import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The gallery of components, for development and screenshot tests: `npm run gallery`. It is not in the admin pages. */
export default defineConfig({
  root: here('./gallery'),
  base: './',
  cacheDir: here('./node_modules/.vite-gallery'),
  plugins: [svelte({ configFile: here('./svelte.config.js') })],
  resolve: { alias: [{ find: /^\.\.\/Icon\.svelte$/, replacement: here('./src/ui/Icon.svelte') }] },
  build: { outDir: process.env.OCTAVO_GALLERY ?? here('./dist/gallery'), emptyOutDir: true, minify: false, reportCompressedSize: false },
});
