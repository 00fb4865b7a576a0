/** Delete definitions after showing what depends on them. */
import { call } from '../api/client';
import { t } from '../messages/index.svelte';
import { confirmed } from '../ui/confirm.svelte';
import { toast } from '../ui/toasts.svelte';
import { nameOf, usesOf, type Model } from './model';
import { wordsOf } from './problems';

function dependents(model: Model, uids: readonly string[]): string {
  const uses = uids.flatMap((uid) => usesOf(model, uid)).filter((use) => !uids.includes(use.uid));
  if (!uses.length) return '';
  const names = [...new Set(uses.map((use) => `${nameOf(model, use.uid)} (${use.attribute})`))];
  return ` ${t('builder.remove.uses', { names: names.join(', ') })}`;
}

async function done(task: () => Promise<unknown>, text: string): Promise<boolean> {
  try {
    await task();
  } catch (error) {
    toast('failed', wordsOf(error));
    return false;
  }
  toast('done', text);
  return true;
}

/** Delete a content type or a component after confirmation; return whether it was deleted. */
export async function deleteDefinition(model: Model, uid: string): Promise<boolean> {
  const isType = uid.includes('::');
  const name = nameOf(model, uid);
  const isSure = await confirmed({
    title: t('builder.remove.title', { name }),
    hint: t(isType ? 'builder.remove.type' : 'builder.remove.component') + dependents(model, [uid]),
    action: t('ui.delete'),
    isDangerous: true,
    word: uid.replace(/^.*[.:]/, ''),
  });
  if (!isSure) return false;
  const remove = (): Promise<unknown> =>
    isType
      ? call('DELETE /content-type-builder/content-types/:uid', { path: { uid } })
      : call('DELETE /content-type-builder/components/:uid', { path: { uid } });
  return done(remove, t('builder.removed', { name }));
}

/** Delete a category with its components after confirmation; return whether it was deleted. */
export async function deleteCategory(model: Model, name: string): Promise<boolean> {
  const uids = model.components.filter((one) => one.category === name).map((one) => one.uid);
  const isSure = await confirmed({
    title: t('builder.category.remove.title', { name }),
    hint: t('builder.category.remove.hint', { count: uids.length }) + dependents(model, uids),
    action: t('ui.delete'),
    isDangerous: true,
    word: name,
  });
  if (!isSure) return false;
  const remove = (): Promise<unknown> => call('DELETE /content-type-builder/component-categories/:name', { path: { name } });
  return done(remove, t('builder.removed', { name }));
}
