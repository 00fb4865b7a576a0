/** Components that are loaded when they are wanted first: what only some hours of a day need keeps no page waiting. */
import { failed } from './failed';

export interface Later<Found> {
  /** Null until it is loaded. */
  readonly component: Found | null;
  /** Have it loaded. What goes wrong is told, and tried again when it is wanted again. */
  want: () => void;
}

export function later<Found>(load: () => Promise<{ default: Found }>): Later<Found> {
  let component = $state.raw<Found | null>(null);
  let isLoading = false;

  async function want(): Promise<void> {
    if (isLoading) return;
    isLoading = true;
    try {
      component = (await load()).default;
    } catch (error) {
      isLoading = false;
      failed(error);
    }
  }
  return {
    get component() {
      return component;
    },
    want: () => void want(),
  };
}
