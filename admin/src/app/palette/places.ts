/** Further pages of the palette: settings, the builder, and the configuration of lists and forms. */
import type { Definitions } from '../../api/operations';
import { formViewAddress, listViewAddress, mayConfigure } from '../../content/model/views';
import { t } from '../../messages/index.svelte';
import { openGroups } from '../../settings/nav';
import { BASE } from '../addresses';
import { may } from '../session.svelte';
import type { Command } from './commands';

type Go = (address: string) => void;

export interface Known {
  definitions: Definitions | undefined;
  /** Whether the user can create and change content types now. */
  isChangeable: boolean;
}

export function placeCommands({ definitions, isChangeable }: Known, go: Go): Command[] {
  return [...settingsCommands(go), ...(isChangeable ? newCommands(go) : []), ...viewCommands(definitions, go), ...definitionCommands(definitions, go)];
}

function settingsCommands(go: Go): Command[] {
  return openGroups().flatMap((group) =>
    group.entries.map(({ path, key }) => ({
      id: path,
      group: `${t('nav.settings')} › ${t(group.key)}`,
      label: t(key),
      isQuiet: true,
      run: () => go(`${BASE}${path}`),
    })),
  );
}

function newCommands(go: Go): Command[] {
  const kinds = [
    { path: 'collection-type', key: 'builder.new.collectionType' },
    { path: 'single-type', key: 'builder.new.singleType' },
    { path: 'component', key: 'builder.new.component' },
  ] as const;
  return kinds.map(({ path, key }) => ({
    id: `new ${path}`,
    group: t('palette.create.group'),
    label: t(key),
    run: () => go(`${BASE}/plugins/content-type-builder/create/${path}`),
  }));
}

function viewCommands(definitions: Definitions | undefined, go: Go): Command[] {
  const group = t('palette.views');
  const types = (definitions?.contentTypes ?? []).filter(({ isDisplayed, kind }) => isDisplayed && mayConfigure(kind));
  const forms = types.map(({ uid, kind, info }) => ({ address: formViewAddress(uid, kind), label: t('palette.form', { name: info.displayName }) }));
  const lists = types
    .filter(({ kind }) => kind === 'collectionType')
    .map(({ uid, info }) => ({ address: listViewAddress(uid), label: t('palette.list', { name: info.displayName }) }));
  const parts = (mayConfigure('component') ? (definitions?.components ?? []) : []).map(({ uid, info }) => ({
    address: formViewAddress(uid, 'component'),
    label: t('palette.form', { name: info.displayName }),
    hint: uid,
  }));
  return [...forms, ...lists, ...parts].map(({ address, ...rest }) => ({ id: address, group, isQuiet: true, ...rest, run: () => go(address) }));
}

function definitionCommands(definitions: Definitions | undefined, go: Go): Command[] {
  if (!may('plugin::content-type-builder.read')) return [];
  const builder = `${BASE}/plugins/content-type-builder`;
  const types = (definitions?.contentTypes ?? [])
    .filter(({ isDisplayed }) => isDisplayed)
    .map(({ uid, info }) => ({ address: `${builder}/content-types/${uid}`, name: info.displayName, hint: uid }));
  const parts = (definitions?.components ?? []).map(({ uid, category, info }) => ({
    address: `${builder}/component-categories/${category}/${uid}`,
    name: info.displayName,
    hint: uid,
  }));
  return [...types, ...parts].map(({ address, name, hint }) => ({
    id: address,
    group: t('nav.builder'),
    label: t('palette.definition', { name }),
    hint,
    isQuiet: true,
    run: () => go(address),
  }));
}
