/**
 * Messages between the preview pane and a front end that includes `octavo-preview.js`. The pane accepts messages only
 * from its frame and from the origin of the preview URL, and sends messages only to that origin.
 */
import { untrack } from 'svelte';
import type { EntryForm, Values } from './form.svelte';
import { previewFields } from './preview-fields';

const PROTOCOL = 1;
/** Milliseconds between a change and its message. */
const DELAY = 150;

/** A field that was clicked in the front end. Without type and id it belongs to the form's entry. */
export interface Place {
  type?: string;
  id?: number;
  field: string;
}

export class PreviewChannel {
  /** Whether the page in the frame includes the script. */
  isConnected = $state(false);
  readonly #form: EntryForm;
  readonly #origin: string;
  readonly #edit: (place: Place) => void;
  #frame: HTMLIFrameElement | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Call it during component initialization. `edit` receives the fields that are clicked in the front end. */
  constructor(form: EntryForm, origin: string, edit: (place: Place) => void) {
    this.#form = form;
    this.#origin = origin;
    this.#edit = edit;
    $effect(() => {
      const receive = (event: MessageEvent): void => this.#receive(event);
      window.addEventListener('message', receive);
      return () => {
        window.removeEventListener('message', receive);
        clearTimeout(this.#timer);
      };
    });
    $effect(() => {
      void form.revision;
      if (untrack(() => this.isConnected)) this.#sendLater();
    });
  }

  /** Use a new frame. Return a function that detaches it. */
  attach = (frame: HTMLIFrameElement): (() => void) => {
    this.#frame = frame;
    this.isConnected = false;
    return () => {
      if (this.#frame !== frame) return;
      this.#frame = null;
      this.isConnected = false;
    };
  };

  /** Greet a page after it was loaded. Only pages with the script answer. */
  greet = (): void => {
    this.isConnected = false;
    this.#send({ type: 'hello' });
  };

  sendSaved(): void {
    this.#send({ type: 'saved' });
  }

  sendFocus(field: string): void {
    if (this.isConnected) this.#send({ type: 'focus', field });
  }

  #receive({ source, origin, data }: MessageEvent): void {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== this.#origin) return;
    const message = data as { octavo?: unknown; type?: unknown; place?: unknown } | null;
    if (message?.octavo !== PROTOCOL) return;
    if (message.type === 'ready') this.#begin();
    const place = message.type === 'edit' ? readPlace(message.place) : null;
    if (place) this.#edit(place);
  }

  /** Send the saved entry first, because the page compares changes with it. */
  #begin(): void {
    this.isConnected = true;
    this.#sendEntry(this.#form.original);
    if (this.#form.isChanged) this.#sendEntry(this.#form.values);
  }

  #sendLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#sendEntry(this.#form.values), DELAY);
  }

  #sendEntry(values: Values): void {
    const { type, id, locale } = this.#form;
    this.#send({ type: 'entry', entry: { type: type.uid, id, locale, fields: previewFields(this.#form, values) } });
  }

  #send(message: Record<string, unknown>): void {
    this.#frame?.contentWindow?.postMessage({ octavo: PROTOCOL, ...message }, this.#origin);
  }
}

function readPlace(given: unknown): Place | null {
  const { type, id, field } = (given ?? {}) as Record<string, unknown>;
  if (typeof field !== 'string' || !/^\w+(\.\w+)*$/.test(field)) return null;
  const isOther = typeof type === 'string' && Number.isSafeInteger(id);
  return isOther ? { type, id: id as number, field } : { field };
}
