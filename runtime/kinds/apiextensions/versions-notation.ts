/** The versions of a definition as 1.32 shows them in messages: what may be long stands behind pointers, what all have alike above them. */
import type { CustomResourceDefinitionVersion } from '../../../generated/apiextensions/v1/types.ts';
import { goQuote } from '../../go-text/quote.ts';
import { goAddress } from '../../go-text/values.ts';

const PACKAGE = 'apiextensions';

type Shared = Readonly<Record<'schema' | 'subresources' | 'columns' | 'selectable', boolean>>;

export function versionsNotation(versions: readonly CustomResourceDefinitionVersion[], shared: Shared): string {
  return slice('CustomResourceDefinitionVersion', versions, ({ additionalPrinterColumns: columns, ...version }) => [
    `Name:${goQuote(version.name)}`,
    `Served:${version.served}`,
    `Storage:${version.storage}`,
    `Deprecated:${version.deprecated === true}`,
    `DeprecationWarning:${pointer('string', version.deprecationWarning)}`,
    `Schema:${pointer(`${PACKAGE}.CustomResourceValidation`, shared.schema ? undefined : version.schema)}`,
    `Subresources:${pointer(`${PACKAGE}.CustomResourceSubresources`, shared.subresources ? undefined : version.subresources)}`,
    `AdditionalPrinterColumns:${slice('CustomResourceColumnDefinition', shared.columns ? undefined : columns, (column) => [
      `Name:${goQuote(column.name)}`,
      `Type:${goQuote(column.type)}`,
      `Format:${goQuote(column.format ?? '')}`,
      `Description:${goQuote(column.description ?? '')}`,
      `Priority:${column.priority ?? 0}`,
      `JSONPath:${goQuote(column.jsonPath)}`,
    ])}`,
    `SelectableFields:${slice('SelectableField', shared.selectable ? undefined : version.selectableFields, ({ jsonPath }) => [`JSONPath:${goQuote(jsonPath)}`])}`,
  ]);
}

function slice<T>(name: string, elements: readonly T[] | null | undefined, fieldsOf: (element: T) => readonly string[]): string {
  const type = `${PACKAGE}.${name}`;
  if (elements === undefined || elements === null || elements.length === 0) return `[]${type}(nil)`;
  return `[]${type}{${elements.map((element) => `${type}{${fieldsOf(element).join(', ')}}`).join(', ')}}`;
}

/** @param value what is pointed at; undefined: nothing */
export function pointer(type: string, value: unknown): string {
  return `(*${type})(${value === undefined || value === null ? 'nil' : goAddress()})`;
}
