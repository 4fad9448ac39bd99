/** Values as Go's %#v shows them, every member with its name; of what a pointer leads to it shows the address, which is another one each time. */
import { goQuote } from '../go-text/quote.ts';
import { goAddress } from '../go-text/values.ts';
import { compareUtf8, type JsonObject } from '../schema/json/member.ts';
import { type GoType, scalarText, typeName } from './go-type.ts';

export function goSyntax(type: GoType, value: unknown): string {
  const name = typeName(type);
  switch (type.kind) {
    case 'struct':
      if (type.syntax !== undefined) return type.syntax(value);
      return `${name}{${type.fields.map((field) => `${field.name}:${goSyntax(field.type, field.of(value))}`).join(', ')}}`;
    case 'pointer':
      if (type.element.kind === 'struct' && type.element.syntax !== undefined)
        return value === undefined ? '<nil>' : type.element.syntax(value);
      return `(${name})(${value === undefined ? 'nil' : goAddress()})`;
    case 'slice':
      return value === undefined ? `${name}(nil)` : `${name}{${listed(value as unknown[], (item) => goSyntax(type.element, item))}}`;
    case 'map':
      return value === undefined ? `${name}(nil)` : `${name}{${mapEntries(type.value, value as JsonObject)}}`;
    case 'string':
      return goQuote((value as string | undefined) ?? '');
    default:
      return scalarText(value ?? (type.kind === 'bool' ? false : 0));
  }
}

const listed = <T>(items: readonly T[], show: (item: T) => string): string => items.map(show).join(', ');

function mapEntries(type: GoType, values: JsonObject): string {
  return listed(Object.keys(values).sort(compareUtf8), (key) => `${goQuote(key)}:${goSyntax(type, values[key])}`);
}
