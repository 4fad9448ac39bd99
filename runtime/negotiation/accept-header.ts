/** What a client takes, by its Accept header. */

export interface AcceptClause {
  readonly type: string;
  /** the type as the header has it, without spaces around it: an asterisk alone stands for any type */
  readonly written: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** as the header states it, 1 where it does not */
  readonly quality: number;
}

/** The most clauses whose order is that of 1.32 to the letter, where its preference contradicts itself: it orders more of them in another way. */
const INSERTED = 12;

/**
 * Clauses of an Accept header (RFC 9110 section 12.5.1), the preferred one first; a clause that is no media type is left out. As in 1.32 a
 * weight that is no number is 0, and a wildcard comes after what is named, whatever the weights.
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const text of header.split(',')) {
    const [type = '', ...rest] = text.split(';');
    const parameters: Record<string, string> = Object.create(null);
    for (const parameter of rest) {
      const [name = '', value = '', ...more] = parameter.split('=');
      if (value !== '' && more.length === 0) parameters[trimSpaces(name)] = trimSpaces(value);
    }
    const written = trimSpaces(type);
    const name = typeOf(written);
    if (name === undefined) continue;
    clauses.push({ type: name, written, parameters, quality: parameters.q === undefined ? 1 : qualityOf(parameters.q) });
  }
  return ordered(clauses);
}

/** As in 1.32 a tab is a part of what it stands beside. Each run of spaces is looked at once, so that time is linear in the length of the header. */
const trimSpaces = (text: string): string => text.replace(/^ +|(?<! ) +$/g, '');

/** @returns undefined for what is no media type. As in 1.32 a slash may end it. */
function typeOf(written: string): string | undefined {
  if (/^\* *\/?$/.test(written)) return '*/*';
  const [, type, subtype] = /^([^/]*)\/([^/]+)\/?$/.exec(written) ?? [];
  return type === undefined || subtype === undefined ? undefined : `${trimSpaces(type)}/${trimSpaces(subtype)}`;
}

function qualityOf(text: string): number {
  const quality = text === '' ? 0 : Number(text);
  return Number.isFinite(quality) ? quality : 0;
}

function ordered(clauses: AcceptClause[]): AcceptClause[] {
  if (clauses.length > INSERTED) return clauses.sort((a, b) => Number(isPreferred(b, a)) - Number(isPreferred(a, b)));
  const inserted: AcceptClause[] = [];
  for (const clause of clauses) insert(inserted, clause);
  return inserted;
}

/** Moves a clause before those that it is preferred to, as far as they stand at the end: the preference is no order, so that this counts. */
function insert(clauses: AcceptClause[], clause: AcceptClause): void {
  let at = clauses.length;
  while (at > 0 && isPreferred(clause, clauses[at - 1] as AcceptClause)) at--;
  clauses.splice(at, 0, clause);
}

function isPreferred(one: AcceptClause, other: AcceptClause): boolean {
  if (one.quality > other.quality) return true;
  if (!one.type.startsWith('*/') && other.type.startsWith('*/')) return true;
  return !one.type.endsWith('/*') && other.type.endsWith('/*');
}
