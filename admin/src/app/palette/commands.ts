/** The commands of the palette: pages and content types at once, entries after the first character. */
import type { Definitions, ContentTypeSchema } from '../../api/operations';
import { call } from '../../api/client';
import { hasCalendar } from '../../calendar/address';
import { t } from '../../messages/index.svelte';
import { BASE, contentAddress, entryAddress } from '../addresses';
import { logOut, may } from '../session.svelte';
import { chooseTheme, THEMES } from '../theme.svelte';
import { placeCommands, type Known } from './places';

export interface Command {
  id: string;
  /** The group of the command. */
  group: string;
  label: string;
  /** Text after the label. */
  hint?: string;
  /** Shown only after the first character, because there are many of this kind. */
  isQuiet?: boolean;
  run: () => void;
}

type Go = (address: string) => void;

/** Return pages, content types and actions for the user. */
export function commandsOf(known: Known, go: Go): Command[] {
  const { definitions } = known;
  const types = (definitions?.contentTypes ?? []).filter((type) => type.isDisplayed);
  return [
    ...types.filter((type) => may('plugin::content-manager.explorer.read', type.uid)).map((type) => typeCommand(type, go)),
    ...types.filter(isMade).map((type) => createCommand(type, go)),
    ...pageCommands(definitions, go),
    ...placeCommands(known, go),
    ...actionCommands(),
  ];
}

const isMade = (type: ContentTypeSchema): boolean =>
  type.kind === 'collectionType' && may('plugin::content-manager.explorer.create', type.uid);

function typeCommand(type: ContentTypeSchema, go: Go): Command {
  const run = (): void => go(contentAddress(type.uid, type.kind));
  return { id: type.uid, group: t('nav.content'), label: type.info.displayName, run };
}

function createCommand(type: ContentTypeSchema, go: Go): Command {
  const label = t('palette.create', { name: type.info.displayName });
  const run = (): void => go(`${contentAddress(type.uid, type.kind)}/create`);
  return { id: `create ${type.uid}`, group: t('palette.create.group'), label, run };
}

function pageCommands(definitions: Definitions | undefined, go: Go): Command[] {
  const pages = [
    { path: '/', label: t('nav.home'), isOpen: true },
    { path: '/calendar', label: t('nav.calendar'), isOpen: hasCalendar(definitions) },
    { path: '/plugins/upload', label: t('nav.media'), isOpen: may('plugin::upload.read') },
    { path: '/plugins/content-type-builder', label: t('nav.builder'), isOpen: may('plugin::content-type-builder.read') },
    { path: '/settings', label: t('nav.settings'), isOpen: true },
    { path: '/me', label: t('user.profile'), isOpen: true },
  ];
  return pages
    .filter((page) => page.isOpen)
    .map(({ path, label }) => ({ id: path, group: t('palette.pages'), label, run: () => go(`${BASE}${path}`) }));
}

function actionCommands(): Command[] {
  const group = t('palette.actions');
  const themes = THEMES.map((theme) => ({
    id: `theme ${theme}`,
    group,
    label: `${t('theme.label')}: ${t(`theme.${theme}`)}`,
    run: () => chooseTheme(theme),
  }));
  return [...themes, { id: 'log out', group, label: t('user.logOut'), run: () => void logOut() }];
}

/** Return the commands whose label contains all typed words; those that begin with them come first. */
export function matching(commands: readonly Command[], typed: string): Command[] {
  const sought = typed.trim().toLowerCase();
  if (!sought) return commands.filter(({ isQuiet }) => !isQuiet);
  const words = sought.split(/\s+/);
  const found = commands.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const begins = (command: Command): boolean => command.label.toLowerCase().startsWith(sought);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))];
}

const TYPES_SEARCHED = 6;
const ENTRIES_OF_EACH = 4;

/**
 * Return entries with the typed text in their main field or other texts, from the first content types that the user can
 * read.
 */
export async function findEntries(definitions: Definitions, text: string, go: Go, signal: AbortSignal): Promise<Command[]> {
  const types = definitions.contentTypes
    .filter((type) => type.isDisplayed && type.kind === 'collectionType')
    .filter((type) => may('plugin::content-manager.explorer.read', type.uid))
    .slice(0, TYPES_SEARCHED);
  const found = await Promise.all(types.map((type) => entriesOf(type, text, go, signal)));
  return found.flat();
}

async function entriesOf(type: ContentTypeSchema, text: string, go: Go, signal: AbortSignal): Promise<Command[]> {
  const query = { _q: text, page: 1, pageSize: ENTRIES_OF_EACH };
  const page = await call('GET /content-manager/collection-types/:uid', { path: { uid: type.uid }, query, signal });
  const main = Object.keys(type.attributes).find((name) => type.attributes[name]?.type === 'string') ?? 'id';
  return page.results.map((entry) => ({
    id: `${type.uid} ${String(entry.id)}`,
    group: t('palette.entries'),
    label: String(entry[main] ?? entry.id),
    hint: type.info.displayName,
    run: () => go(entryAddress(type.uid, String(entry.id))),
  }));
}
