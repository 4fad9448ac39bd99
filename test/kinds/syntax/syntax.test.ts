import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { labelValueErrors, qualifiedNameErrors, validateLabels } from '../../../runtime/kinds/syntax/labels.ts';
import {
  configKeyErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  pathSegmentErrors,
  percentErrors,
} from '../../../runtime/kinds/syntax/names.ts';

const test = suite('forms of names and labels');

const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const NAME_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const rows: [string, (text: string) => string[], string, string[]][] = [
  ['a subdomain', dnsSubdomainErrors, 'a.b-c.1', []],
  ['a subdomain with capitals', dnsSubdomainErrors, 'A', [SUBDOMAIN_RULE]],
  ['a subdomain that is empty', dnsSubdomainErrors, '', [SUBDOMAIN_RULE]],
  ['a subdomain that is too long', dnsSubdomainErrors, 'a'.repeat(254), ['must be no more than 253 characters']],
  ['a subdomain before a line end', dnsSubdomainErrors, 'a\n', [SUBDOMAIN_RULE]],
  ['a label', dnsLabelErrors, 'a-1', []],
  ['a label with dots', dnsLabelErrors, 'a.b', ['must not contain dots']],
  ['a path segment', pathSegmentErrors, 'system:x:Y', []],
  ['a path segment with a slash', pathSegmentErrors, 'a/b', ["may not contain '/'"]],
  ['a path segment with slash and percent', pathSegmentErrors, '%/', ["may not contain '/'", "may not contain '%'"]],
  ['a path segment that is a dot', pathSegmentErrors, '..', ["may not be '..'"]],
  ['a config key', configKeyErrors, 'KEY_name.1', []],
  ['a config key that climbs', configKeyErrors, '..a', ["must not start with '..'"]],
  ['a percentage', percentErrors, '110%', []],
  [
    'a number without percent sign',
    percentErrors,
    '10',
    [
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
  ['a qualified name', qualifiedNameErrors, 'example.com/My_name', []],
  ['a qualified name with a space', qualifiedNameErrors, 'a b', [NAME_RULE]],
  ['a qualified name that is empty', qualifiedNameErrors, '', ['name part must be non-empty', NAME_RULE]],
  ['a qualified name with a bad prefix', qualifiedNameErrors, 'A/b', [`prefix part ${SUBDOMAIN_RULE}`]],
  ['a qualified name with no prefix before the slash', qualifiedNameErrors, '/b', ['prefix part must be non-empty']],
  ['a label value', labelValueErrors, 'A_b.1', []],
  ['an empty label value', labelValueErrors, '', []],
  [
    'a label value with a slash',
    labelValueErrors,
    'a/b',
    [
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
];

for (const [name, errorsOf, text, expected] of rows) test(name, () => assert.equal(errorsOf(text), expected));

test('the errors of labels name the map', () => {
  assert.equal(
    validateLabels({ 'a b': 'x', c: '-' }, 'metadata.labels').map((error) => [error.reason, error.field]),
    [
      ['FieldValueInvalid', 'metadata.labels'],
      ['FieldValueInvalid', 'metadata.labels'],
    ],
  );
});

test.run();
