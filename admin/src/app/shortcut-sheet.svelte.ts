/** Whether the list of keyboard shortcuts is open. */
export const sheet = $state({ isOpen: false });
