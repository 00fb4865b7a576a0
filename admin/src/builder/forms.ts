/** What the forms of an attribute are given. */
import type { DefinitionDraft } from './draft.svelte';
import type { Model, RawAttribute } from './model';

export interface AttributeForm {
  raw: RawAttribute;
  model: Model;
  draft: DefinitionDraft;
  write: (raw: RawAttribute) => void;
  /** What is wrong with a member of the attribute. */
  problemOf: (member: string) => string | undefined;
}
