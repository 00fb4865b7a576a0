/** An option to choose. */
export interface Choice<Value = string> {
  value: Value;
  label: string;
  /** Text beside the label, such as a code. */
  hint?: string | undefined;
  isDisabled?: boolean;
}
