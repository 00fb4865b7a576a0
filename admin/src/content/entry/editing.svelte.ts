/**
 * The behavior of an open form, on a page or in a panel: drafts, saving, shortcuts and leaving. Call `edit` during
 * component initialization.
 */
import { blockNavigation } from 'sv-router';
import { onDestroy, onMount, untrack } from 'svelte';
import { on } from 'svelte/events';
import { hasStepped } from '../../app/router';
import { t } from '../../messages/index.svelte';
import { isShortcut } from '../../ui/shortcuts';
import { mayLeaveUnsaved } from '../../ui/unsaved';
import { fieldId } from '../fields/props';
import { provideEntryForm, type EntryForm, type Values } from './form.svelte';
import { Keeping } from './keeping.svelte';
import { Saving, type Heard } from './saving.svelte';

interface Edited extends Omit<Heard, 'stored'> {
  form: EntryForm;
  /** The entry as last loaded. It may be loaded again while the form is open. */
  entry: () => Values | null;
  /** Whether the entry was deleted when it was last loaded. */
  isMissing: () => boolean;
  /** Whether the form stays open during the current navigation. */
  stays: () => boolean;
  /** Whether keyboard shortcuts apply to this form. */
  isFront: () => boolean;
  /** Save the form beside this one, after this one. */
  saveBeside?: () => Promise<void>;
}

export interface Editing {
  form: EntryForm;
  keeping: Keeping;
  saving: Saving;
  /** Stop asking about unsaved changes, because the entry was deleted or the form is finished. */
  leave: () => void;
}

export function edit({ form, entry, isMissing, stays, isFront, saveBeside, made, ...heard }: Edited): Editing {
  provideEntryForm(form);
  const keeping = new Keeping(form);
  let isLeaving = false;
  let page = address();
  const move = async (id: number): Promise<void> => {
    isLeaving = true; // to the new entry's URL
    await made?.(id);
    page = address();
    isLeaving = false;
  };
  const saving = new Saving(form, { ...heard, made: move, stored: () => keeping.forget() });

  $effect(() => {
    if (form.revision) keeping.later();
  });
  // The entry is loaded again when the window regains focus: take over what other users have saved.
  $effect(() => {
    const present = entry();
    if (present && form.id !== null) untrack(() => saving.hear(present));
  });

  $effect(() => {
    form.isGone = isMissing();
  });

  /**
   * Whether the browser goes to a field's anchor on the same page. In panels, a step at the same URL closes the panel.
   */
  const isAnchor = (): boolean => !form.depth && hasStepped() && address() === page;
  const lead = (): void => {
    const place = location.hash.slice(1);
    if (place.startsWith(fieldId(''))) void form.reveal(place.slice(fieldId('').length));
  };

  async function mayLeave(): Promise<boolean> {
    if (!form.isChanged || isLeaving || stays() || isAnchor()) return true;
    const save = form.mayStore && !form.depth ? saving.save : undefined;
    const isSure = await mayLeaveUnsaved(() => form.isChanged, save);
    if (isSure) void keeping.forget();
    return isSure;
  }
  function press(event: KeyboardEvent): void {
    if (!isShortcut(event, 's') || !isFront()) return;
    event.preventDefault();
    void saveAll();
  }
  async function saveAll(): Promise<void> {
    const isDone = !form.mayStore || !(form.isChanged || form.isNew) || (await saving.save());
    if (isDone) await saveBeside?.();
  }
  onDestroy(blockNavigation({ beforeUnload: () => !form.isChanged, onNavigate: mayLeave }));
  onDestroy(on(window, 'keydown', press));
  if (form.depth === 0) {
    onMount(lead);
    onDestroy(on(window, 'hashchange', lead));
  }
  onDestroy(() => keeping.stop());
  return { form, keeping, saving, leave: () => (isLeaving = true) };
}

const address = (): string => location.pathname + location.search;

/** Return the title of a form's entry. */
export function titleOf(form: EntryForm): string {
  const type = form.type.info.displayName;
  if (form.type.kind === 'singleType') return type;
  if (form.isNew) return t(form.origin === null ? 'entry.new' : 'entry.copy', { type });
  const named = form.original[form.views.contentType.settings.mainField];
  return named ? String(named) : `${type} ${form.id}`;
}
