/** The calendar's URL, and whether the user has one. */
import type { Definitions } from '../api/operations';
import { BASE } from '../app/addresses';
import { may } from '../app/session.svelte';
import { hasDrafts } from '../content/model/definitions';

export const CALENDAR = `${BASE}/calendar`;

/** Whether the user can read a content type whose entries can be scheduled. */
export const hasCalendar = (definitions: Definitions | undefined): boolean =>
  definitions?.contentTypes.some((type) => type.isDisplayed && hasDrafts(type) && may('plugin::content-manager.explorer.read', type.uid)) ?? false;
