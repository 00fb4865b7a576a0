/** Items that are dragged onto folders. The keyboard moves them in a dialog. */
import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';

/** Attributes of an element that can be dragged. */
export interface Drag {
  ondragstart: (event: DragEvent) => void;
  ondragend: () => void;
}

/** How a folder takes what is dragged. */
export interface Drop {
  /** Whether something is dragged that it takes. */
  isTarget: boolean;
  ondrop: () => void;
}

/** Let an element take what is dragged; `data-over` is set while that is over it. */
export function dropTarget(drop: () => Drop): Attachment<HTMLElement> {
  return (element) => {
    const leave = (): void => element.removeAttribute('data-over');
    const over = (event: DragEvent): void => {
      if (!drop().isTarget) return;
      event.preventDefault();
      element.setAttribute('data-over', '');
    };
    const take = (event: DragEvent): void => {
      leave();
      if (!drop().isTarget) return;
      event.preventDefault();
      drop().ondrop();
    };
    const ends = [on(element, 'dragover', over), on(element, 'dragleave', leave), on(element, 'drop', take)];
    return () => ends.forEach((end) => end());
  };
}
