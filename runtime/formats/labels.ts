/** Keys and values of labels, and keys of annotations. */
import { isLongerThan, maxLength, NOTHING, patternMessage, patternMessages } from './messages.ts';
import { dnsSubdomain } from './names.ts';

const NAME_LENGTH = 63;

const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_VALUE = `(${QUALIFIED})?`;
const qualifiedPattern = new RegExp(`^${QUALIFIED}$`);
const labelValuePattern = new RegExp(`^${LABEL_VALUE}$`);

const QUALIFIED_MESSAGE = patternMessage(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  QUALIFIED,
  'MyName',
  'my.name',
  '123-abc',
);
const LABEL_VALUE_MESSAGE = patternMessage(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  'MyValue',
  'my_value',
  '12345',
);

/** Accepts the value of a label. */
export function labelValue(value: string): readonly string[] {
  return patternMessages(value, NAME_LENGTH, labelValuePattern, LABEL_VALUE_MESSAGE);
}

/** Keys that are remembered at most. */
const MAX_REMEMBERED = 4_096;
/** valid keys, because the same few occur again and again */
const rightNames = new Set<string>();

/** Accepts the key of a label: a name of at most 63 bytes, which a DNS subdomain and a slash may precede. */
export function qualifiedName(value: string): readonly string[] {
  if (rightNames.has(value)) return NOTHING;
  const messages = qualifiedNameMessages(value);
  if (messages.length === 0) {
    if (rightNames.size >= MAX_REMEMBERED) rightNames.clear();
    rightNames.add(value);
  }
  return messages;
}

function qualifiedNameMessages(value: string): readonly string[] {
  const slash = value.indexOf('/');
  if (slash !== -1 && value.indexOf('/', slash + 1) !== -1)
    return [`a qualified name ${QUALIFIED_MESSAGE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = slash === -1 ? value : value.slice(slash + 1);
  const messages = slash === -1 ? [] : prefixMessages(value.slice(0, slash));
  if (name === '') messages.push('name part must be non-empty');
  else if (isLongerThan(name, NAME_LENGTH)) messages.push(`name part ${maxLength(NAME_LENGTH)}`);
  if (!qualifiedPattern.test(name)) messages.push(`name part ${QUALIFIED_MESSAGE}`);
  return messages;
}

function prefixMessages(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return dnsSubdomain(prefix).map((message) => `prefix part ${message}`);
}

/** Accepts the key of an annotation: like that of a label, but the part before the slash may have capitals. */
export function annotationKey(value: string): readonly string[] {
  return qualifiedName(value.toLowerCase());
}
