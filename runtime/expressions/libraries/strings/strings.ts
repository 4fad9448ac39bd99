/** The versions of the strings extension of CEL. */
import type { FunctionDeclaration, Library } from '../../environment/declarations.ts';
import { DYN, INT, listOf, STRING } from '../../types/type.ts';
import { costSize } from '../../values/describe.ts';
import { ErrorValue, type ListValue, type Value } from '../../values/value.ts';
import { MAX_TEXT_LENGTH, TEXT_TOO_LONG } from '../bounded-text.ts';
import { declared, member, plain } from '../overloads.ts';
import { TRAVERSAL, traversalUnits } from '../standard/costs.ts';
import { traversedItems } from '../traversal.ts';
import { renderClause } from './format.ts';
import { type Clause, type Count, FormatFailure, formatText } from './format-text.ts';
import { FORMAT_OVERLOAD, formatFindings } from './format-validator.ts';
import { renderPlainClause } from './plain-format.ts';
import {
  charAt,
  indexOf,
  join,
  lastIndexOf,
  lastIndexOfUntil,
  lowerAscii,
  quote,
  replace,
  reverse,
  split,
  substring,
  substringBetween,
  trim,
  upperAscii,
} from './text-functions.ts';

const TEXTS = listOf(STRING);

/** Units of functions that traverse a text and build another one. */
const rebuildUnits = (value: Value | undefined): number => Math.ceil(costSize(value) * 2 * TRAVERSAL);
const traversed: FunctionDeclaration['cost'] = ([text]) => traversalUnits(text);
const rebuilt: FunctionDeclaration['cost'] = ([text]) => rebuildUnits(text);

const functions: readonly FunctionDeclaration[] = [
  declared('charAt', [member('string_char_at_int', [STRING, INT], STRING, charAt)]),
  declared(
    'indexOf',
    [
      member('string_index_of_string', [STRING, STRING], INT, (text: string, part: string) => indexOf(text, part)),
      member('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
    ],
    traversedItems,
  ),
  declared(
    'lastIndexOf',
    [
      member('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf),
      member('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOfUntil),
    ],
    traversedItems,
  ),
  declared('lowerAscii', [member('string_lower_ascii', [STRING], STRING, lowerAscii)], traversed),
  declared(
    'replace',
    [
      member('string_replace_string_string', [STRING, STRING, STRING], STRING, (text: string, part: string, by: string) =>
        replace(text, part, by),
      ),
      member('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
    ],
    rebuilt,
  ),
  declared(
    'split',
    [
      member('string_split_string', [STRING, STRING], TEXTS, (text: string, separator: string) => split(text, separator)),
      member('string_split_string_int', [STRING, STRING, INT], TEXTS, split),
    ],
    rebuilt,
  ),
  declared(
    'substring',
    [
      member('string_substring_int', [STRING, INT], STRING, substring),
      member('string_substring_int_int', [STRING, INT, INT], STRING, substringBetween),
    ],
    traversed,
  ),
  declared('trim', [member('string_trim', [STRING], STRING, trim)], traversed),
  declared('upperAscii', [member('string_upper_ascii', [STRING], STRING, upperAscii)], traversed),
  {
    name: 'join',
    overloads: [
      member('list_join', [TEXTS], STRING, (list: ListValue) => join(list)),
      member('list_join_string', [TEXTS, STRING], STRING, join),
    ],
    costOfResult: rebuildUnits,
  },
];

type Render = (clause: Clause, value: Value, count: Count) => string;

const formatWith =
  (render: Render) =>
  (text: string, args: ListValue): Value => {
    const parts: string[] = [];
    let length = 0;
    const count: Count = (characters) => {
      length += characters;
      if (length > MAX_TEXT_LENGTH) throw new FormatFailure(TEXT_TOO_LONG.message);
    };
    const add = (part: string): void => {
      count(part.length);
      parts.push(part);
    };
    const renderAt = (clause: Clause, index: number): string => {
      const value = args.at(index);
      if (value instanceof ErrorValue) throw new FormatFailure(value.message);
      return render(clause, value, count);
    };
    try {
      formatText(text, args.size, renderAt, add);
      return parts.join('');
    } catch (error) {
      if (error instanceof FormatFailure) return new ErrorValue(error.message);
      throw error;
    }
  };

const format = (render: Render): FunctionDeclaration =>
  declared('format', [member(FORMAT_OVERLOAD, [STRING, listOf(DYN)], STRING, formatWith(render), { cost: traversalUnits, inOrder: true })]);

const quoting = declared('strings.quote', [plain('strings_quote', [STRING], STRING, quote, { cost: traversalUnits })]);

const NAME = 'cel.lib.ext.strings';
const NEVER = Number.POSITIVE_INFINITY;

/** Version 0, which 1.32 has in environments up to 1.28. */
export const stringsLibrary0: Library = { name: NAME, since: 0, until: 28, functions, validate: formatFindings(1) };

/** Version 2, which 1.32 has in environments from 1.29 on. */
export const stringsLibrary: Library = {
  name: NAME,
  since: 29,
  functions: [...functions, format(renderClause), quoting],
  validate: formatFindings(1),
};

/** Version 4, which no environment of 1.32 has. */
export const laterStringsLibrary: Library = {
  name: NAME,
  since: NEVER,
  functions: [...functions, format(renderPlainClause), quoting, declared('reverse', [member('reverse', [STRING], STRING, reverse)])],
  validate: formatFindings(4),
};
