import type { Component } from 'svelte';

/** A tool in a text's toolbar. */
export interface Tool {
  label: string;
  icon: Component<{ size?: number | string; 'aria-hidden'?: boolean | 'true' }>;
  run: () => void;
  /** Its keyboard shortcut. */
  keys?: string;
  isOn?: boolean;
  isDisabled?: boolean;
}
