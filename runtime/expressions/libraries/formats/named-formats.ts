/** The formats that expressions can name. */
import { labelValue, qualifiedName } from '../../../formats/labels.ts';
import { generateNameMessages, nameMessages } from '../../../formats/names.ts';
import { requestUrlProblem } from '../../../formats/url-text.ts';
import { VALUE_FORMATS } from '../../../formats/value-formats.ts';
import { closedStruct } from '../../types/type.ts';
import { OpaqueValue } from '../../values/value.ts';

export const NAMED_FORMAT = closedStruct('kubernetes.NamedFormat');

/** @returns the errors of a text, as one sentence each */
type Messages = (text: string) => readonly string[];

export class FormatValue extends OpaqueValue {
  readonly type = NAMED_FORMAT;
  readonly name: string;
  /** length of an equivalent pattern, by which costs are charged */
  readonly patternSize: number;
  readonly messages: Messages;

  constructor(name: string, patternSize: number, messages: Messages) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.messages = messages;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const valueFormat =
  (format: string, message: string): Messages =>
  (text) =>
    VALUE_FORMATS.get(format)?.(text) === true ? [] : [message];

function uri(text: string): readonly string[] {
  const problem = requestUrlProblem(text);
  return problem === undefined ? [] : [problem];
}

const LABEL_SIZE = 30;
const SUBDOMAIN_SIZE = 60;

export const NAMED_FORMATS: ReadonlyMap<string, FormatValue> = new Map([
  ['dns1123Label', new FormatValue('DNS1123Label', LABEL_SIZE, (text) => nameMessages(text, 'dnsLabel'))],
  ['dns1123Subdomain', new FormatValue('DNS1123Subdomain', SUBDOMAIN_SIZE, (text) => nameMessages(text, 'dnsSubdomain'))],
  ['dns1035Label', new FormatValue('DNS1035Label', LABEL_SIZE, (text) => nameMessages(text, 'dns1035Label'))],
  ['qualifiedName', new FormatValue('QualifiedName', SUBDOMAIN_SIZE, qualifiedName)],
  ['dns1123LabelPrefix', new FormatValue('DNS1123LabelPrefix', LABEL_SIZE, (text) => generateNameMessages(text, 'dnsLabel'))],
  [
    'dns1123SubdomainPrefix',
    new FormatValue('DNS1123SubdomainPrefix', SUBDOMAIN_SIZE, (text) => generateNameMessages(text, 'dnsSubdomain')),
  ],
  ['dns1035LabelPrefix', new FormatValue('DNS1035LabelPrefix', LABEL_SIZE, (text) => generateNameMessages(text, 'dns1035Label'))],
  ['labelValue', new FormatValue('LabelValue', 40, labelValue)],
  ['uri', new FormatValue('URI', 1_103, uri)],
  ['uuid', new FormatValue('uuid', 70, valueFormat('uuid', 'does not match the UUID format'))],
  ['byte', new FormatValue('byte', 84, valueFormat('byte', 'invalid base64'))],
  ['date', new FormatValue('date', 71, valueFormat('date', 'invalid date'))],
  ['datetime', new FormatValue('datetime', 71, valueFormat('datetime', 'invalid datetime'))],
]);
