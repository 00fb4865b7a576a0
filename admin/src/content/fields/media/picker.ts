/** The library's dialog to choose from, where there is one. */
import type { Component } from 'svelte';
import type { MediaFile } from './files';

export interface PickerProps {
  isOpen: boolean;
  allowedTypes: readonly string[] | undefined;
  multiple: boolean;
  onchoose: (files: MediaFile[]) => void;
}
type Loaded = { default: Component<PickerProps, object, 'isOpen'> };

export const loadPicker: (() => Promise<Loaded>) | undefined = Object.values(
  import.meta.glob<Loaded>('../../../media/MediaPicker.svelte'),
)[0];
