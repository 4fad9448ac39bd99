/** Notices about a converted object at which people should look. */
export interface Notice {
  /** Path of the member, such as `spec.rules[0].host`; '' for the whole object. */
  readonly path: string;
  readonly text: string;
}

/** Makes one sentence of notices with the same text, with the first path and the number of the others. */
export function noticeTexts(notices: readonly Notice[]): string[] {
  return [...Map.groupBy(notices, ({ text }) => text)].map(([text, said]) => {
    const [path = '', ...others] = new Set(said.map((each) => each.path));
    if (path === '') return text;
    return `${path}${others.length === 0 ? '' : ` and ${others.length} more`}: ${text}`;
  });
}

const MAX_SHOWN = 80;

/** @returns a value as one short line */
export function shown(value: unknown): string {
  const text = typeof value === 'string' && /^[\w./%-]+$/.test(value) ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3)}...` : text;
}

/** @returns the path of a member; a name that is no word stands in brackets */
export function memberPath(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
