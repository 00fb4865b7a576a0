import type { Component } from 'svelte';

/** A tool above a text. */
export interface Tool {
  label: string;
  icon: Component<{ size?: number | string; 'aria-hidden'?: boolean | 'true' }>;
  run: () => void;
  /** What does the same on the keyboard. */
  keys?: string;
  isOn?: boolean;
  isDisabled?: boolean;
}
