import { BINDING_MACROS } from '../../../runtime/expressions/syntax/bindings.ts';
import { MacroTable } from '../../../runtime/expressions/syntax/macro-table.ts';
import { OPTIONAL_MACROS } from '../../../runtime/expressions/syntax/optional-macros.ts';
import type { ParseOptions } from '../../../runtime/expressions/syntax/parser.ts';
import { STANDARD_MACROS } from '../../../runtime/expressions/syntax/standard-macros.ts';
import { TWO_VARIABLE_MACROS } from '../../../runtime/expressions/syntax/two-variable-macros.ts';

/** What the API's expressions are parsed with. */
export const ALL_SYNTAX: ParseOptions = {
  macros: new MacroTable([...STANDARD_MACROS, ...OPTIONAL_MACROS, ...TWO_VARIABLE_MACROS, ...BINDING_MACROS]),
  optionalSyntax: true,
};
