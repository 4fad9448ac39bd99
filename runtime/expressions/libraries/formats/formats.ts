/** The functions of named formats that Kubernetes adds to CEL. */
import type { Library } from '../../environment/declarations.ts';
import { listOf, optionalOf, STRING } from '../../types/type.ts';
import { costSize } from '../../values/describe.ts';
import { ArrayList, Optional, type Value } from '../../values/value.ts';
import { declared, member, plain } from '../overloads.ts';
import { PATTERN, TRAVERSAL } from '../standard/costs.ts';
import { FormatValue, NAMED_FORMAT, NAMED_FORMATS } from './named-formats.ts';

/** @returns an optional list of errors, which is empty if the text is valid */
function validate(format: FormatValue, text: string): Value {
  const messages = format.messages(text);
  return messages.length === 0 ? Optional.NONE : Optional.of(new ArrayList(messages));
}

function validationUnits(format: Value | undefined, text: Value | undefined): number {
  if (!(format instanceof FormatValue)) return 1;
  return Math.ceil((1 + costSize(text)) * TRAVERSAL) * Math.ceil(format.patternSize * PATTERN);
}

function named(name: string): Value {
  const format = NAMED_FORMATS.get(name);
  return format === undefined ? Optional.NONE : Optional.of(format);
}

export const formatsLibrary: Library = {
  name: 'format',
  since: 31,
  functions: [
    declared('validate', [member('format-validate', [NAMED_FORMAT, STRING], optionalOf(listOf(STRING)), validate)], ([format, text]) =>
      validationUnits(format, text),
    ),
    declared('format.named', [plain('format-named', [STRING], optionalOf(NAMED_FORMAT), named)]),
    ...Array.from(NAMED_FORMATS, ([name, format]) => declared(`format.${name}`, [plain(`format.${name}`, [], NAMED_FORMAT, () => format)])),
  ],
};
