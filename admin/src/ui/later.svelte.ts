/** Components that are loaded when first needed, so that they do not delay the page. */
import { failed } from './failed';

export interface Later<Found> {
  /** Null until it is loaded. */
  readonly component: Found | null;
  /** Load it. Errors are shown, and the next call tries again. */
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
