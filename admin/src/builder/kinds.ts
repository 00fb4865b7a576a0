/** The kinds of attributes to choose from. Each has one or more types; the first is the default. */
import AtSign from '@lucide/svelte/icons/at-sign';
import Binary from '@lucide/svelte/icons/binary';
import Blocks from '@lucide/svelte/icons/blocks';
import Braces from '@lucide/svelte/icons/braces';
import Calendar from '@lucide/svelte/icons/calendar';
import FileText from '@lucide/svelte/icons/file-text';
import Image from '@lucide/svelte/icons/image';
import KeyRound from '@lucide/svelte/icons/key-round';
import Layers from '@lucide/svelte/icons/layers';
import Link from '@lucide/svelte/icons/link';
import ListChecks from '@lucide/svelte/icons/list-checks';
import PilcrowRight from '@lucide/svelte/icons/pilcrow-right';
import Puzzle from '@lucide/svelte/icons/puzzle';
import ToggleLeft from '@lucide/svelte/icons/toggle-left';
import TypeIcon from '@lucide/svelte/icons/type';
import Waypoints from '@lucide/svelte/icons/waypoints';
import type { RawAttribute } from './model';

export interface Kind {
  name:
    | 'text' | 'richtext' | 'blocks' | 'email' | 'password' | 'number' | 'enumeration' | 'date' | 'boolean' | 'json'
    | 'uid' | 'media' | 'relation' | 'component' | 'dynamiczone' | 'custom';
  types: readonly string[];
  icon: typeof TypeIcon;
  /** The initial definition of an attribute of this kind. */
  fresh: RawAttribute;
  /** Only for content types. */
  ofTypesAlone?: boolean;
}

const kind = (name: Kind['name'], icon: typeof TypeIcon, fresh: RawAttribute, ...more: string[]): Kind => ({
  name,
  icon,
  fresh,
  types: [fresh.type, ...more],
});
const MEDIA = { type: 'media', multiple: false, allowedTypes: ['images', 'files', 'videos', 'audios'] };

export const KINDS: readonly Kind[] = [
  kind('text', TypeIcon, { type: 'string' }, 'text'),
  kind('richtext', FileText, { type: 'richtext' }),
  kind('blocks', PilcrowRight, { type: 'blocks' }),
  kind('number', Binary, { type: 'integer' }, 'biginteger', 'decimal', 'float'),
  kind('date', Calendar, { type: 'date' }, 'datetime', 'time', 'timestamp'),
  kind('boolean', ToggleLeft, { type: 'boolean', default: false }),
  kind('enumeration', ListChecks, { type: 'enumeration', enum: [] }),
  kind('media', Image, MEDIA),
  kind('relation', Waypoints, { type: 'relation', relation: 'oneToOne', target: '' }),
  kind('component', Puzzle, { type: 'component', repeatable: false, component: '' }),
  { ...kind('dynamiczone', Layers, { type: 'dynamiczone', components: [] }), ofTypesAlone: true },
  kind('email', AtSign, { type: 'email' }),
  kind('password', KeyRound, { type: 'password' }),
  kind('json', Braces, { type: 'json' }),
  { ...kind('uid', Link, { type: 'uid' }), ofTypesAlone: true },
];
const CUSTOM: Kind = kind('custom', Blocks, { type: 'customField' });

export function kindOf(raw: RawAttribute): Kind {
  if (typeof raw.customField === 'string') return CUSTOM;
  return KINDS.find((one) => one.types.includes(raw.type)) ?? CUSTOM;
}
