/**
 * Label selectors in query text: `app=x,tier in (a,b),!gone,n>5`. The lexer, the grammar and the messages are those of 1.32, so that
 * clients that show them keep making sense.
 */
import { aggregateText } from '../contract/aggregate-text.ts';
import { goQuote } from '../contract/go-quote.ts';
import { labelValue, qualifiedName } from '../formats/labels.ts';
import { parseInt64 } from '../schema/scalar/raw-number.ts';
import { SelectorError } from './selector-error.ts';

export interface LabelSelector {
  /** true when it selects all objects */
  readonly everything: boolean;
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels): boolean;
}

/** The labels of an object, which are asked for one by one: most selectors name one or two. */
export interface Labels {
  /** @returns undefined where there is none with that key */
  label(key: string): string | undefined;
}

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

const EVERYTHING: LabelSelector = { everything: true, requirements: [], matches: () => true };

/**
 * Requirements are sorted by their keys, as in 1.32: so authorizers are shown the same selector for the same question.
 * @throws SelectorError
 */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return EVERYTHING;
  const requirements = new Parser(text).parse().sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
  if (requirements.length === 0) return EVERYTHING;
  return { everything: false, requirements, matches: (labels) => requirements.every((requirement) => meets(requirement, labels)) };
}

function meets({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labels.label(key);
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    default:
      return value !== undefined && compare(operator, parseInt64(value), parseInt64(values[0] as string));
  }
}

function compare(operator: 'gt' | 'lt', a: bigint | undefined, b: bigint | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return operator === 'gt' ? a > b : a < b;
}

type TokenType = 'end' | 'identifier' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'in' | 'notin' | 'error';

interface Token {
  readonly type: TokenType;
  readonly text: string;
}

const SYMBOLS = new Set(['(', ')', ',', '!', '=', '==', '!=', '>', '<']);
const SPECIAL = /[=!(),><]/;
const SPACE = /[ \t\r\n]/;
const ENDS_WORD = /[=!(),>< \t\r\n\0]/;
/** ends a word or a symbol, and the text where it stands between them: the same to 1.32 as the end */
const NUL = '\0';

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text[at] as string;
    if (character === NUL) return found;
    if (SPACE.test(character)) at++;
    else if (SPECIAL.test(character)) {
      // The longest run of special characters that is a symbol.
      let end = at + 1;
      while (end < text.length && SYMBOLS.has(text.slice(at, end + 1))) end++;
      const symbol = text.slice(at, end);
      found.push({ type: symbol as TokenType, text: symbol });
      at = text[end] === NUL ? end + 1 : end;
    } else {
      let end = at + 1;
      while (end < text.length && !ENDS_WORD.test(text[end] as string)) end++;
      const word = text.slice(at, end);
      found.push({ type: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
      at = text[end] === NUL ? end + 1 : end;
    }
  }
  return found;
}

const END: Token = { type: 'end', text: '' };
const BINARY: Readonly<Partial<Record<TokenType, LabelOperator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokens(text);
  }

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#look();
      if (token.type === 'end') return requirements;
      if (token.type !== 'identifier' && token.type !== '!')
        throw new SelectorError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const next = this.#take();
      if (next.type === 'end') return requirements;
      if (next.type !== ',') throw new SelectorError(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#look();
      if (after.type !== 'identifier' && after.type !== '!')
        throw new SelectorError(`found '${after.text}', expected: identifier after ','`);
    }
  }

  /** Where a value may stand, `in` and `notin` are words like any other. */
  #look(): Token {
    const token = this.#tokens[this.#at] ?? END;
    return token.type === 'in' || token.type === 'notin' ? { type: 'identifier', text: token.text } : token;
  }

  #take(): Token {
    const token = this.#look();
    this.#at++;
    return token;
  }

  #requirement(): LabelRequirement {
    const negated = this.#look().type === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (key.type !== 'identifier') throw parseError(`found '${key.text}', expected: identifier`);
    const problems = qualifiedName(key.text);
    if (problems.length > 0) throw parseError(`<nil>: Invalid value: ${goQuote(key.text)}: ${problems.join('; ')}`);
    if (negated) return { key: key.text, operator: '!', values: [] };
    const next = this.#look();
    if (next.type === 'end' || next.type === ',') return { key: key.text, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    return checked({ key: key.text, operator, values });
  }

  #operator(): LabelOperator {
    const token = this.#tokens[this.#at] ?? END;
    this.#at++;
    const operator = BINARY[token.type];
    if (operator === undefined) throw parseError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  #values(): string[] {
    const open = this.#take();
    if (open.type !== '(') throw parseError(`found '${open.text}' expected: '('`);
    const first = this.#look();
    if (first.type === ')') {
      // 1.32 takes empty parentheses for the empty value.
      this.#take();
      return [''];
    }
    if (first.type !== 'identifier' && first.type !== ',') throw parseError(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = this.#identifiers();
    this.#take();
    return [...values].sort();
  }

  /** Up to the closing parenthesis, which comes next. */
  #identifiers(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (token.type === 'identifier') {
        values.add(token.text);
        const next = this.#look();
        if (next.type === ')') return values;
        if (next.type !== ',') throw parseError(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.type === ',') {
        if (values.size === 0) values.add('');
        const next = this.#look();
        if (next.type === ')') return values.add('');
        if (next.type === ',') {
          this.#take();
          values.add('');
        }
      } else throw parseError(`found '${token.text}', expected: ',', or identifier`);
    }
  }

  #exactValue(): string {
    const token = this.#look();
    if (token.type === 'end' || token.type === ',') return '';
    this.#take();
    if (token.type !== 'identifier') throw parseError(`found '${token.text}', expected: identifier`);
    return token.text;
  }
}

/** Values must be ones that a label can have; those of > and < integers. */
function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const problems: string[] = [];
  values.forEach((value, index) => {
    if ((operator === 'gt' || operator === 'lt') && parseInt64(value) === undefined)
      problems.push(`values[${index}]: Invalid value: ${goQuote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
    const messages = labelValue(value);
    if (messages.length > 0) problems.push(`values[${index}][${key}]: Invalid value: ${goQuote(value)}: ${messages.join('; ')}`);
  });
  if (problems.length > 0) throw parseError(aggregateText(problems));
  return requirement;
}

function parseError(message: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${message}`);
}
