/** The properties of an attribute's forms. */
import type { DefinitionDraft } from './draft.svelte';
import type { Model, RawAttribute } from './model';

export interface AttributeForm {
  raw: RawAttribute;
  model: Model;
  draft: DefinitionDraft;
  write: (raw: RawAttribute) => void;
  /** Returns the problem of an option of the attribute. */
  problemOf: (member: string) => string | undefined;
}
