/** The state of a form of settings: values, what they were when they were saved, and what is wrong with them. */
import { ApiError } from '../../api/errors';
import { errorText } from '../../ui/failed';
import { same } from './same';

export class SettingsForm<Values extends object> {
  values: Values;
  isBusy = $state(false);
  /** What is wrong, by dotted path. */
  problems = $state.raw<Readonly<Record<string, string>>>({});
  /** What is wrong with no field of the form. */
  failure = $state('');
  #saved: Values;

  constructor(values: Values) {
    this.values = $state($state.snapshot(values) as Values);
    this.#saved = $state.raw($state.snapshot(values) as Values);
  }

  readonly isChanged = $derived.by(() => !same(this.#saved, this.values));

  /** Back to what was saved. */
  discard(): void {
    this.values = $state.snapshot(this.#saved) as Values;
    this.problems = {};
    this.failure = '';
  }

  /** These are the values now. */
  settle(values: Values): void {
    this.#saved = $state.snapshot(values) as Values;
    this.values = $state.snapshot(values) as Values;
  }

  /** Send the values. Whether they were taken; where not, `problems` and `failure` say why. */
  async save(send: (values: Values) => Promise<unknown>): Promise<boolean> {
    const sent = $state.snapshot(this.values) as Values;
    this.isBusy = true;
    this.problems = {};
    this.failure = '';
    try {
      await send(sent);
      this.#saved = sent;
      return true;
    } catch (error) {
      this.#refuse(error);
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  #refuse(error: unknown): void {
    if (!(error instanceof ApiError)) throw error;
    this.problems = Object.fromEntries(error.problems.map((one) => [one.path.join('.'), one.message]));
    const isShown = error.problems.length > 0 && error.problems.every((one) => String(one.path[0]) in this.values);
    if (!isShown) this.failure = errorText(error);
  }
}
