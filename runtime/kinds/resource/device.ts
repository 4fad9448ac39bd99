/** A device that a driver offers: its attributes and capacities. */
import { type FieldError, invalid, required, tooLong } from '../../contract/field-error.ts';
import { isLongerThan } from '../../formats/messages.ts';
import type { Struct } from '../struct.ts';
import { QUALIFIED_NAME_LENGTH, validateLabelText, validateQualifiedName } from './names.ts';

/** Attributes and capacities of a device together. */
const PROPERTIES_LIMIT = 32;
const VALUE_LENGTH = 64;
const MEMBERS = ['int', 'bool', 'string', 'version'];

const NUMBER = '(0|[1-9]\\d*)';
const PRE_RELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
/** @see https://semver.org/spec/v2.0.0.html */
const versionPattern = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRE_RELEASE}(\\.${PRE_RELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`);

export function validateDevice({ name = '', basic }: Struct, path: string): FieldError[] {
  return [
    ...validateLabelText(name, `${path}.name`),
    ...(basic === undefined ? [required(`${path}.basic`)] : validateProperties(basic, `${path}.basic`)),
  ];
}

function validateProperties(device: Struct, path: string): FieldError[] {
  const attributes = Object.entries<Struct>(device.attributes ?? {});
  const capacities = Object.keys(device.capacity ?? {});
  const count = attributes.length + capacities.length;
  return [
    ...attributes.flatMap(([name, attribute]) => {
      const at = `${path}.attributes[${shortened(name)}]`;
      return [...validateQualifiedName(name, at), ...validateAttribute(attribute, at)];
    }),
    ...capacities.flatMap((name) => validateQualifiedName(name, `${path}.capacity[${shortened(name)}]`)),
    ...(count > PROPERTIES_LIMIT
      ? [invalid(path, count, `the total number of attributes and capacities must not exceed ${PROPERTIES_LIMIT}`)]
      : []),
  ];
}

/** A name that is too long loses its middle in paths. */
function shortened(name: string): string {
  const bytes = Buffer.from(name);
  if (bytes.length <= QUALIFIED_NAME_LENGTH) return name;
  const kept = QUALIFIED_NAME_LENGTH - '...'.length;
  return `${bytes.subarray(0, (kept + 1) >> 1)}...${bytes.subarray(bytes.length - (kept >> 1))}`;
}

function validateAttribute(attribute: Struct, path: string): FieldError[] {
  const given = MEMBERS.filter((member) => attribute[member] !== undefined);
  const errors = [...validateText(attribute.string, `${path}.string`), ...validateVersion(attribute.version, `${path}.version`)];
  if (given.length === 1) return errors;
  const detail = 'exactly one value must be specified';
  return [...errors, given.length === 0 ? required(path, detail) : invalid(path, attribute, detail)];
}

function validateText(text: string | undefined, path: string): FieldError[] {
  return isLongerThan(text ?? '', VALUE_LENGTH) ? [tooLong(path, VALUE_LENGTH)] : [];
}

function validateVersion(version: string | undefined, path: string): FieldError[] {
  if (version === undefined) return [];
  return [
    ...(versionPattern.test(version) ? [] : [invalid(path, version, 'must be a string compatible with semver.org spec 2.0.0')]),
    ...validateText(version, path),
  ];
}
