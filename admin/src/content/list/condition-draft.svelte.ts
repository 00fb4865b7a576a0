/** A condition while it is edited. */
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

  /** Begin with the field's first operator and without a value. */
  chooseField(): void {
    this.problem = undefined;
    this.texts = [''];
    this.operator = this.operators[0]?.value ?? '';
  }

  /** A period is no date, and a date no period. */
  chooseOperator(next: string): void {
    if ((next === WITHIN) !== (this.operator === WITHIN)) this.texts = [''];
    this.operator = next;
  }

  /** The condition; null if it is invalid, which `problem` then explains. */
  read(): Condition | null {
    const { field, operator } = this;
    const values = field && (takesNothing(operator) ? ['true'] : this.given(field));
    const isWhole = values?.every((value) => value !== null) && values.length > 0 && (operator !== '$between' || values.length === 2);
    this.problem = isWhole ? undefined : t(field ? 'list.filter.noValue' : 'list.filter.noField');
    return field && isWhole ? { path: comparedPath(field, operator), operator, values: values as string[] } : null;
  }

  /** A list is typed with a line for each value; what is chosen from few stands as it is. */
  private given({ attribute }: FilterField): (string | null)[] {
    const [first = '', second = ''] = this.texts;
    if (this.operator === WITHIN) return isPeriod(first) ? [first] : [];
    const lines = (): string[] => this.texts.flatMap((text) => text.split('\n')).filter((text) => text.trim());
    const typed = this.operator === '$between' ? [first, second] : takesList(this.operator) ? lines() : [first];
    return typed.map((text) => fromInput(text, attribute));
  }
}
