/** The state of a settings form: its values, the saved values, and the problems. */
import { ApiError } from '../../api/errors';
import { errorText } from '../../ui/failed';
import { same } from './same';

export class SettingsForm<Values extends object> {
  values: Values;
  isBusy = $state(false);
  /** The problems by dotted path. */
  problems = $state.raw<Readonly<Record<string, string>>>({});
  /** The problem that belongs to no field. */
  failure = $state('');
  #saved: Values;

  constructor(values: Values) {
    this.values = $state($state.snapshot(values) as Values);
    this.#saved = $state.raw($state.snapshot(values) as Values);
  }

  readonly isChanged = $derived.by(() => !same(this.#saved, this.values));

  /** Return to the saved values. */
  discard(): void {
    this.values = $state.snapshot(this.#saved) as Values;
    this.problems = {};
    this.failure = '';
  }

  /** Use these as the saved values. */
  settle(values: Values): void {
    this.#saved = $state.snapshot(values) as Values;
    this.values = $state.snapshot(values) as Values;
  }

  /** Send the values, and return whether they were saved. Otherwise `problems` and `failure` are set. */
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
