import type { Component } from 'svelte';

/** An item of a menu. */
export interface MenuItem {
  label: string;
  run: () => void;
  icon?: Component<{ size?: number | string; 'aria-hidden'?: boolean | 'true' }>;
  isDisabled?: boolean;
  isDangerous?: boolean;
  isFirstOfGroup?: boolean;
}
