/** Copy a text. Browsers offer the clipboard in secure contexts only; elsewhere a hidden field is selected and copied. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'unseen';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}
