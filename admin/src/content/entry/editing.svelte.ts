/** What goes on with the form of an entry while it is open, on a page or in a panel. Called while its component is made. */
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
  /** What is known of the service: it may be read anew while the form is open. */
  entry: () => Values | null;
  /** Whether the service no longer had the entry when it was last read. */
  isMissing: () => boolean;
  /** Whether the form is still there after the navigation that is under way. */
  stays: () => boolean;
  /** Whether keys are meant for this form. */
  isFront: () => boolean;
  /** Save what is edited beside it, after the form itself. */
  saveBeside?: () => Promise<void>;
}

export interface Editing {
  form: EntryForm;
  keeping: Keeping;
  saving: Saving;
  /** From now on nobody is asked about leaving: the entry is gone. */
  leave: () => void;
}

export function edit({ form, entry, isMissing, stays, isFront, saveBeside, made, ...heard }: Edited): Editing {
  provideEntryForm(form);
  const keeping = new Keeping(form);
  let isLeaving = false;
  let page = address();
  const move = async (id: number): Promise<void> => {
    isLeaving = true; // to its own address
    await made?.(id);
    page = address();
    isLeaving = false;
  };
  const saving = new Saving(form, { ...heard, made: move, stored: () => keeping.forget() });

  $effect(() => {
    if (form.revision) keeping.later();
  });
  // The entry is read anew when somebody comes back to the window: what others have saved since is taken over.
  $effect(() => {
    const present = entry();
    if (present && form.id !== null) untrack(() => saving.hear(present));
  });

  $effect(() => {
    form.isGone = isMissing();
  });

  /** Whether the next address is that of a field on the same page. A step at the same address closes a panel. */
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

/** What the entry of a form is called. */
export function titleOf(form: EntryForm): string {
  const type = form.type.info.displayName;
  if (form.type.kind === 'singleType') return type;
  if (form.isNew) return t(form.origin === null ? 'entry.new' : 'entry.copy', { type });
  const named = form.original[form.views.contentType.settings.mainField];
  return named ? String(named) : `${type} ${form.id}`;
}
