/** Field selectors in query text: `metadata.name=x,status.phase!=Running`; commas, equals signs and backslashes in values are escaped by a backslash. */
import { SelectorError } from './selector-error.ts';

export interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '==' | '!=';
  readonly value: string;
}

const OPERATORS = ['!=', '==', '='] as const;

/**
 * Requirements in the order of their text, so that of several that are wrong the one that 1.32 names is named. One of no field and no value is none.
 * @throws SelectorError
 */
export function parseFieldSelector(text: string): FieldRequirement[] {
  return splitTerms(text)
    .filter((term) => term !== '')
    .sort()
    .map((term) => {
      const { field, operator, value } = splitTerm(term, text);
      return { field, operator, value: unescapeValue(value) };
    })
    .filter(({ field, value }) => field !== '' || value !== '');
}

function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === ',') {
      terms.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function splitTerm(term: string, text: string): FieldRequirement {
  for (let at = 0; at < term.length; at++) {
    for (const operator of OPERATORS)
      if (term.startsWith(operator, at)) return { field: term.slice(0, at), operator, value: term.slice(at + operator.length) };
  }
  throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
}

/** A comma that is not escaped has ended the value before. */
function unescapeValue(value: string): string {
  let out = '';
  for (let at = 0; at < value.length; at++) {
    const character = value[at] as string;
    if (character === '\\') {
      const escaped = value[++at];
      if (escaped !== '\\' && escaped !== ',' && escaped !== '=')
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped ?? ''}`);
      out += escaped;
    } else if (character === '=')
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.codePointAt(0)}`);
    else out += character;
  }
  return out;
}
