/** Show our own messages below invalid controls instead of the browser's bubbles. */
import { t } from '../messages/index.svelte';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** Functions that remove the message of a control. */
const notes = new WeakMap<Element, () => void>();

/** Return the problem of a control as text. */
function problemOf(control: Control): string {
  const { validity, type } = control;
  const limits = control as HTMLInputElement;
  if (validity.valueMissing) return t(control instanceof HTMLSelectElement ? 'ui.invalid.choice' : 'ui.invalid.missing');
  if (validity.typeMismatch) return t(type === 'url' ? 'ui.invalid.url' : 'ui.invalid.email');
  if (validity.tooShort) return t('ui.invalid.short', { count: limits.minLength });
  if (validity.tooLong) return t('ui.invalid.long', { count: limits.maxLength });
  if (validity.rangeUnderflow) return t('ui.invalid.low', { min: limits.min });
  if (validity.rangeOverflow) return t('ui.invalid.high', { max: limits.max });
  if (validity.stepMismatch || (validity.badInput && type === 'number')) return t('ui.invalid.number');
  if (validity.patternMismatch) return control.title || t('ui.invalid.other');
  return validity.customError ? control.validationMessage : t('ui.invalid.other');
}

/** Show the problem below the control until its value changes, for screen readers too. */
function mark(control: Control): void {
  const text = problemOf(control);
  const found = control.dataset.invalid === undefined ? null : document.getElementById(control.dataset.invalid);
  if (found) {
    found.textContent = text;
    return;
  }
  const note = document.createElement('p');
  note.className = 'invalid-note';
  note.id = `invalid-${crypto.randomUUID()}`;
  note.textContent = text;
  (control.closest('.field') ?? control.parentElement)?.append(note);
  const described = control.getAttribute('aria-describedby');
  control.setAttribute('aria-describedby', described ? `${note.id} ${described}` : note.id);
  control.setAttribute('aria-invalid', 'true');
  control.dataset.invalid = note.id;
  const clear = (): void => {
    note.remove();
    notes.delete(control);
    delete control.dataset.invalid;
    control.removeAttribute('aria-invalid');
    if (described) control.setAttribute('aria-describedby', described);
    else control.removeAttribute('aria-describedby');
    control.removeEventListener('input', clear);
    control.removeEventListener('change', clear);
  };
  control.addEventListener('input', clear);
  control.addEventListener('change', clear);
  notes.set(control, clear);
}

/** Remove the messages of all controls of a form, for example when its changes are discarded. */
export function clearInvalid(form: HTMLFormElement): void {
  for (const control of form.elements) notes.get(control)?.();
}

/** Listen to invalid controls of all forms: each gets a message, and the first one of a form gets the focus. */
export function markInvalid(): () => void {
  let first: Control | null = null;
  const refuse = (event: Event): void => {
    event.preventDefault();
    const control = event.target as Control;
    mark(control);
    if (first) return;
    first = control;
    queueMicrotask(() => {
      first?.focus();
      first = null;
    });
  };
  document.addEventListener('invalid', refuse, true);
  return () => document.removeEventListener('invalid', refuse, true);
}
