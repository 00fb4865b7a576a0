/** Whether the sheet of keyboard shortcuts is open. */
export const sheet = $state({ isOpen: false });
