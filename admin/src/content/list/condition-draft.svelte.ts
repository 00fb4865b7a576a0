/** A condition that is being edited. */
import { t } from '../../messages/index.svelte';
import type { Choice } from '../../ui/choice';
import { comparedPath, fieldAt, fieldOf, type FilterField } from './fields';
import { takesList, type Condition } from './filters';
import { operatorName, operatorsOf, takesNothing } from './operators';
import { isPeriod, WITHIN } from './periods';
import { fromInput, toInput } from './values';

export class ConditionDraft {
  name = $state<string | null>(null);
  operator = $state('');
  texts = $state(['']);
  problem = $state<string>();
  readonly field: FilterField | undefined = $derived.by(() => (this.name === null ? undefined : fieldAt(this.fields(), this.name.split('.'))));
  readonly operators: Choice<string>[] = $derived.by(() =>
    (this.field ? operatorsOf(this.field.attribute) : []).map((one) => ({ value: `$${one}`, label: operatorName(`$${one}`, this.field?.attribute) })),
  );

  constructor(
    readonly id: string,
    private readonly fields: () => readonly FilterField[],
    condition?: Condition,
  ) {
    if (!condition) return;
    const field = fieldOf(fields(), condition);
    this.name = (field?.path ?? condition.path).join('.');
    this.operator = condition.operator;
    if (field) this.texts = condition.values.map((value) => toInput(value, field.attribute));
  }

  /** Select the field's first operator and clear the value. */
  chooseField(): void {
    this.problem = undefined;
    this.texts = [''];
    this.operator = this.operators[0]?.value ?? '';
  }

  /** Select an operator. Clear the value when it changes between a period and a date. */
  chooseOperator(next: string): void {
    if ((next === WITHIN) !== (this.operator === WITHIN)) this.texts = [''];
    this.operator = next;
  }

  /** Return the condition; null if it is invalid, with the reason in `problem`. */
  read(): Condition | null {
    const { field, operator } = this;
    const values = field && (takesNothing(operator) ? ['true'] : this.given(field));
    const isWhole = values?.every((value) => value !== null) && values.length > 0 && (operator !== '$between' || values.length === 2);
    this.problem = isWhole ? undefined : t(field ? 'list.filter.noValue' : 'list.filter.noField');
    return field && isWhole ? { path: comparedPath(field, operator), operator, values: values as string[] } : null;
  }

  /** Return the values. Operators with lists take one value per line of text. */
  private given({ attribute }: FilterField): (string | null)[] {
    const [first = '', second = ''] = this.texts;
    if (this.operator === WITHIN) return isPeriod(first) ? [first] : [];
    const lines = (): string[] => this.texts.flatMap((text) => text.split('\n')).filter((text) => text.trim());
    const typed = this.operator === '$between' ? [first, second] : takesList(this.operator) ? lines() : [first];
    return typed.map((text) => fromInput(text, attribute));
  }
}
