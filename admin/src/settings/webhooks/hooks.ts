/** Webhooks and their events. */
import type { WebhookInput, WebhookDetails } from '../../api/operations';

export const WEBHOOKS = 'webhooks';

export const EVENT_GROUPS = [
  { name: 'entry', events: ['entry.create', 'entry.update', 'entry.delete', 'entry.publish', 'entry.unpublish', 'entry.schedule_failed'] },
  { name: 'media', events: ['media.create', 'media.update', 'media.delete'] },
] as const;

export interface HeaderRow {
  name: string;
  value: string;
}

export function saidOf({ id: _, ...said }: WebhookDetails): WebhookInput {
  return said;
}
