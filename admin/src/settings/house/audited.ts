// Labels of the actions and sources in the audit log.

import type { Operations } from '../../api/operations';
import { t, type MessageKey } from '../../messages/index.svelte';

type Labels = Readonly<Record<string, MessageKey>>;

const CHANGES: Labels = {
  create: 'audit.action.create',
  update: 'audit.action.update',
  delete: 'audit.action.delete',
  publish: 'audit.action.publish',
  unpublish: 'audit.action.unpublish',
  session: 'audit.action.session',
  'login refused': 'audit.action.refused',
  'permissions removed': 'audit.action.permissions',
};
/** Operations that are recorded by name. `tests/pages/test_audit_labels.py` checks that the list is complete. */
const OPERATIONS: Readonly<Partial<Record<keyof Operations, MessageKey>>> = {
  'POST /admin/api-tokens': 'audit.action.apiToken.create',
  'DELETE /admin/api-tokens/:id': 'audit.action.apiToken.delete',
  'PUT /admin/api-tokens/:id': 'audit.action.apiToken.update',
  'POST /admin/api-tokens/:id/regenerate': 'audit.action.apiToken.regenerate',
  'POST /admin/project-settings': 'audit.action.logos',
  'POST /admin/roles': 'audit.action.adminRole.create',
  'DELETE /admin/roles/:id': 'audit.action.adminRole.delete',
  'PUT /admin/roles/:id': 'audit.action.adminRole.update',
  'PUT /admin/roles/:id/permissions': 'audit.action.adminRole.permissions',
  'POST /admin/roles/batch-delete': 'audit.action.adminRole.delete',
  'POST /admin/transfer/tokens': 'audit.action.transferToken.create',
  'DELETE /admin/transfer/tokens/:id': 'audit.action.transferToken.delete',
  'PUT /admin/transfer/tokens/:id': 'audit.action.transferToken.update',
  'POST /admin/transfer/tokens/:id/regenerate': 'audit.action.transferToken.regenerate',
  'POST /admin/users': 'audit.action.administrator.invite',
  'DELETE /admin/users/:id': 'audit.action.administrator.delete',
  'PUT /admin/users/:id': 'audit.action.administrator.update',
  'POST /admin/users/batch-delete': 'audit.action.administrator.delete',
  'PUT /admin/users/me': 'audit.action.administrator.self',
  'POST /admin/webhooks': 'audit.action.webhook.create',
  'DELETE /admin/webhooks/:id': 'audit.action.webhook.delete',
  'PUT /admin/webhooks/:id': 'audit.action.webhook.update',
  'POST /admin/webhooks/:id/trigger': 'audit.action.webhook.test',
  'POST /admin/webhooks/batch-delete': 'audit.action.webhook.delete',
  'POST /content-manager/collection-types/:uid': 'audit.action.create',
  'DELETE /content-manager/collection-types/:uid/:id': 'audit.action.delete',
  'PUT /content-manager/collection-types/:uid/:id': 'audit.action.update',
  'POST /content-manager/collection-types/:uid/:id/actions/publish': 'audit.action.publish',
  'POST /content-manager/collection-types/:uid/:id/actions/unpublish': 'audit.action.unpublish',
  'POST /content-manager/collection-types/:uid/actions/bulkDelete': 'audit.action.delete',
  'POST /content-manager/collection-types/:uid/actions/bulkPublish': 'audit.action.publish',
  'POST /content-manager/collection-types/:uid/actions/bulkUnpublish': 'audit.action.unpublish',
  'POST /content-manager/collection-types/:uid/auto-clone/:id': 'audit.action.entry.duplicate',
  'POST /content-manager/collection-types/:uid/clone/:id': 'audit.action.entry.duplicate',
  'PUT /content-manager/components/:uid/configuration': 'audit.action.view.update',
  'PUT /content-manager/content-types/:uid/configuration': 'audit.action.view.update',
  'DELETE /content-manager/single-types/:uid': 'audit.action.delete',
  'PUT /content-manager/single-types/:uid': 'audit.action.update',
  'POST /content-manager/single-types/:uid/actions/publish': 'audit.action.publish',
  'POST /content-manager/single-types/:uid/actions/unpublish': 'audit.action.unpublish',
  'DELETE /content-type-builder/component-categories/:name': 'audit.action.category.delete',
  'PUT /content-type-builder/component-categories/:name': 'audit.action.category.rename',
  'POST /content-type-builder/components': 'audit.action.component.create',
  'DELETE /content-type-builder/components/:uid': 'audit.action.component.delete',
  'PUT /content-type-builder/components/:uid': 'audit.action.component.update',
  'POST /content-type-builder/content-types': 'audit.action.contentType.create',
  'DELETE /content-type-builder/content-types/:uid': 'audit.action.contentType.delete',
  'PUT /content-type-builder/content-types/:uid': 'audit.action.contentType.update',
  'POST /email/': 'audit.action.email.send',
  'POST /email/test': 'audit.action.email.test',
  'POST /i18n/locales': 'audit.action.locale.create',
  'DELETE /i18n/locales/:id': 'audit.action.locale.delete',
  'PUT /i18n/locales/:id': 'audit.action.locale.update',
  'PUT /octavo/file-texts': 'audit.action.file.texts',
  'PUT /octavo/files/:id/focal-point': 'audit.action.focalPoint',
  'PUT /octavo/files/:id/privacy': 'audit.action.file.privacy',
  'PUT /octavo/folders/:id/privacy': 'audit.action.folder.privacy',
  'POST /octavo/jobs/given-up/:id/retry': 'audit.action.job.retry',
  'POST /octavo/jobs/tasks/:name/run': 'audit.action.task.run',
  'PUT /octavo/live-settings': 'audit.action.liveSettings',
  'POST /octavo/batch-edits/:uid': 'audit.action.update',
  'POST /octavo/publications/:uid': 'audit.action.publish',
  'PUT /octavo/schedules/:uid/:id': 'audit.action.entry.schedule',
  'POST /octavo/shared-views/:uid': 'audit.action.sharedView.create',
  'DELETE /octavo/shared-views/:uid/:id': 'audit.action.sharedView.delete',
  'PUT /octavo/shared-views/:uid/:id': 'audit.action.sharedView.update',
  'POST /octavo/webhooks/:id/deliveries/:message/redeliver': 'audit.action.webhook.redeliver',
  'POST /upload': 'audit.action.file.upload',
  'POST /upload/actions/bulk-delete': 'audit.action.files.delete',
  'POST /upload/actions/bulk-move': 'audit.action.files.move',
  'PUT /upload/configuration': 'audit.action.view.update',
  'DELETE /upload/files/:id': 'audit.action.file.delete',
  'POST /upload/folders': 'audit.action.folder.create',
  'PUT /upload/folders/:id': 'audit.action.folder.update',
  'PUT /upload/settings': 'audit.action.upload.settings',
  'PUT /users-permissions/advanced': 'audit.action.registration',
  'PUT /users-permissions/email-templates': 'audit.action.emailTemplates',
  'PUT /users-permissions/providers': 'audit.action.providers',
  'POST /users-permissions/roles': 'audit.action.userRole.create',
  'DELETE /users-permissions/roles/:id': 'audit.action.userRole.delete',
  'PUT /users-permissions/roles/:id': 'audit.action.userRole.update',
};
const ACTIONS: Labels = { ...CHANGES, ...OPERATIONS };
const SOURCES: Labels = {
  admin: 'audit.door.admin',
  code: 'audit.door.code',
  command: 'audit.door.command',
  graphql: 'audit.door.graphql',
  rest: 'audit.door.rest',
  schedule: 'audit.door.schedule',
  system: 'audit.door.system',
};

/** Actions that contain the name of a secret, by their beginning. */
const OF_SECRETS: readonly [string, MessageKey][] = [
  ['secret rotated: ', 'audit.action.rotated'],
  ['secret announced: ', 'audit.action.announced'],
];
const labelOf = (labels: Labels, name: string): string => (labels[name] ? t(labels[name]) : name);

/** Return the label of an action; that of an operation that no longer exists is its name. */
export function actionLabel(name: string): string {
  const [start, label] = OF_SECRETS.find(([start]) => name.startsWith(start)) ?? [];
  return start && label ? t(label, { name: name.slice(start.length) }) : labelOf(ACTIONS, name);
}
export const sourceLabel = (name: string): string => labelOf(SOURCES, name);
