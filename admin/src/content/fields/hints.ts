import type { Attribute, EditLook } from '../../api/operations';
import { t } from '../../messages/index.svelte';

/** Return the text below a field: its description and its rules. */
export function hintOf(attribute: Attribute, look: EditLook): string {
  return [look.description, ...rulesOf(attribute)].filter(Boolean).join(' · ');
}

function rulesOf({ type, min, max, minLength, maxLength }: Attribute): (string | false)[] {
  const isList = type === 'component' || type === 'dynamiczone';
  return [
    minLength !== undefined && t('entry.rule.minLength', { count: minLength }),
    maxLength !== undefined && t('entry.rule.maxLength', { count: maxLength }),
    min !== undefined && (isList ? t('entry.rule.minItems', { count: Number(min) }) : t('entry.rule.min', { min: String(min) })),
    max !== undefined && (isList ? t('entry.rule.maxItems', { count: Number(max) }) : t('entry.rule.max', { max: String(max) })),
  ];
}
