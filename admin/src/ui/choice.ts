/** Something that can be chosen. */
export interface Choice<Value = string> {
  value: Value;
  label: string;
  /** A word beside the label: a code, say. */
  hint?: string | undefined;
  isDisabled?: boolean;
}
