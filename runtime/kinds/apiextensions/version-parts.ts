/** Printer columns, subresources and the warning of a version. */
import type { CustomResourceColumnDefinition, CustomResourceSubresources } from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { invalidAs, needed, neededAs } from '../findings.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

export function validateColumn({ name, type, format, jsonPath }: CustomResourceColumnDefinition, path: string): readonly FieldError[] {
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const formats = `must be one of ${COLUMN_FORMATS.join(',')}`;
  return joined(
    needed(name, `${path}.name`),
    needed(type, `${path}.type`, types),
    invalidAs(type && !COLUMN_TYPES.includes(type) ? [types] : NONE, `${path}.type`, type),
    invalidAs(format && !COLUMN_FORMATS.includes(format) ? [formats] : NONE, `${path}.format`, format),
    neededAs(jsonPath, `${path}.JSONPath`, simplePath),
  );
}

export function validateSubresources(subresources: CustomResourceSubresources | undefined, path: string): readonly FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return NONE;
  const selector = scale.labelSelectorPath ?? '';
  return joined(
    neededAs(scale.specReplicasPath, `${path}.scale.specReplicasPath`, pathUnder('.spec')),
    neededAs(scale.statusReplicasPath, `${path}.scale.statusReplicasPath`, pathUnder('.status')),
    selector === '' ? NONE : invalidAs(pathInSpecOrStatus(selector), `${path}.scale.labelSelectorPath`, selector),
  );
}

const simplePath = (value: string): readonly string[] => (value.startsWith('.') ? NONE : ['must be a simple json path starting with .']);

function pathUnder(root: string): (value: string) => readonly string[] {
  return (value) => {
    if (!value.startsWith('.')) return simplePath(value);
    return value.startsWith(`${root}.`) ? NONE : [`should be a json path under ${root}`];
  };
}

function pathInSpecOrStatus(value: string): readonly string[] {
  if (!value.startsWith('.')) return simplePath(value);
  return /^\.(?:spec|status)\./.test(value) ? NONE : ['should be a json path under either .spec or .status'];
}

const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Of a warning: it is one line of text. */
export function printable(warning: string): readonly FieldError[] {
  let at = 0;
  for (const character of warning) {
    if (!PRINTABLE.test(character))
      return [invalid('', warning, `must only contain printable UTF-8 characters; non-printable character found at index ${at}`)];
    at += Buffer.byteLength(character);
  }
  return NONE;
}
