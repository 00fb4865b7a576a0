interface Named {
  firstname: string | null;
  lastname: string | null;
  username?: string | null;
  email?: string | null;
}

/** Return the name to show for a person. */
export function nameOf(person: Named): string {
  const full = [person.firstname, person.lastname].filter(Boolean).join(' ');
  return full || person.username || person.email || '';
}
