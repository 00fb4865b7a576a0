/** `system` follows the operating system. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'octavo.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function stored(): Theme {
  const found = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === found) ?? 'system';
}

export const theme = $state<{ chosen: Theme }>({ chosen: stored() });

/** Apply the chosen theme to the page. */
export function applyTheme(): void {
  const shown = theme.chosen === 'system' ? (dark.matches ? 'dark' : 'light') : theme.chosen;
  document.documentElement.dataset.theme = shown;
}

export function chooseTheme(chosen: Theme): void {
  theme.chosen = chosen;
  localStorage.setItem(KEY, chosen);
  applyTheme();
}

dark.addEventListener('change', applyTheme);
