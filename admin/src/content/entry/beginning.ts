/** What the form of an entry begins with. */
import { call } from '../../api/client';
import type { EntryAddress } from './address';
import { defaultsOf } from './defaults';
import { EntryForm, type FormSetting, type Values } from './form.svelte';

/** Octavo sets these for every entry, so a copy gets its own. */
const STAMPED = new Set(['id', 'createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'localizations']);

/** What a new localization shares with the others. */
export interface Shared {
  nonLocalizedFields: Values;
  localizations: Values[];
}

export function sharedOptions(address: EntryAddress, locale: string | null) {
  return {
    queryKey: ['new localization', address.uid, address.related, locale],
    queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Shared> => {
      const body = { model: address.uid, id: address.related, locale };
      return (await call('POST /i18n/content-manager/actions/get-non-localized-fields', { body, signal })) as Shared;
    },
    staleTime: 0,
  };
}

/** The form of an entry; of a copy; or of a new one, with what it shares with its localizations and what else is `given`. */
export function beginForm(setting: FormSetting, entry: Values | null, shared: Shared | null, given: Values = {}): EntryForm {
  const { attributes } = setting.type;
  if (entry && setting.id !== null) return new EntryForm(setting, entry);
  if (entry) {
    const copied = Object.keys(attributes).filter((name) => name in entry && !STAMPED.has(name));
    const form = new EntryForm(setting, Object.fromEntries(copied.map((name) => [name, entry[name]])));
    for (const name of copied) if (form.isLeftOut(name)) form.values[name] = form.original[name] = undefined;
    return form;
  }
  const form = new EntryForm(setting, {}, { ...defaultsOf(attributes, setting.definitions), ...shared?.nonLocalizedFields, ...given });
  form.siblings = shared?.localizations ?? [];
  return form;
}
