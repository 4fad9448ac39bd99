/** Bodies that do not say what they are, in every form. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decodeObject, decodeOptions } from '../../../runtime/endpoints/bodies/body.ts';
import type { Encoding } from '../../../runtime/negotiation/negotiation.ts';
import { loadKind } from '../../kinds/kind.ts';

const test = suite('unrecognized bodies');

const PARSING = "couldn't get version/kind; json parse error: ";
const NAMES = 'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const NO_PROTOBUF = 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]';

const rows: readonly [name: string, encoding: Encoding, body: string, problem: string, shown: string][] = [
  ['nothing', 'json', '', `${PARSING}unexpected end of JSON input`, '<empty>'],
  ['YAML as JSON', 'json', 'a: b', `${PARSING}invalid character 'a' looking for beginning of value`, '613a2062'],
  [
    'a character that 30 bytes cut',
    'json',
    `{${'x'.repeat(27)}€`,
    `${PARSING}invalid character 'x' looking for beginning of object key string`,
    `{${'x'.repeat(27)}\ufffd\ufffd ...`,
  ],
  [
    '30 bytes',
    'json',
    `{${'x'.repeat(29)}`,
    `${PARSING}invalid character 'x' looking for beginning of object key string`,
    `{${'x'.repeat(29)}`,
  ],
  [
    '31 bytes',
    'json',
    `{${'x'.repeat(30)}`,
    `${PARSING}invalid character 'x' looking for beginning of object key string`,
    `{${'x'.repeat(29)} ...`,
  ],
  [
    '31 bytes that are no object',
    'json',
    'n'.repeat(31),
    `${PARSING}invalid character 'n' in literal null (expecting 'u')`,
    `${'6e'.repeat(30)} ...`,
  ],
  ['blanks before what breaks off', 'json', ' {', `${PARSING}unexpected end of JSON input`, '207b'],
  ['a number', 'json', '7', `${PARSING}json: cannot unmarshal number into ${NAMES}`, '37'],
  ['a list', 'json', '[]', `${PARSING}json: cannot unmarshal array into ${NAMES}`, '5b5d'],
  [
    'a kind that is no text',
    'json',
    '{"kind":true}',
    `${PARSING}json: cannot unmarshal bool into Go struct field .kind of type string`,
    '{"kind":true}',
  ],
  [
    'the first of two names that are none',
    'json',
    '{"apiVersion":{},"kind":[]}',
    `${PARSING}json: cannot unmarshal object into Go struct field .apiVersion of type string`,
    '{"apiVersion":{},"kind":[]}',
  ],
  ['a version of too many parts', 'json', '{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c', '{"apiVersion":"a/b/c"}'],
  ['YAML that is a list', 'yaml', '- a', `${PARSING}json: cannot unmarshal array into ${NAMES}`, '2d2061'],
  ['no protobuf', 'protobuf', 'abc', NO_PROTOBUF, '616263'],
  ['no protobuf at all', 'protobuf', '', 'empty data', '<empty>'],
  ['protobuf that breaks off', 'protobuf', 'k8s\0\x0a\x05', 'unexpected EOF', '6b3873000a05'],
];

const NO_KINDS = { findKind: async () => undefined };
const ignored = (): void => {};

for (const [name, encoding, text, problem, shown] of rows)
  test(name, async () => {
    const kind = await loadKind('v1', 'Namespace');
    const decode = () => decodeObject(Buffer.from(text), encoding, kind, 'Warn', NO_KINDS, ignored);
    const error = await Promise.try(decode).catch((thrown) => thrown);
    assert.is(error.message, `the object provided is unrecognized (must be of type Namespace): ${problem} (${shown})`);
    assert.is(error.status.code, 400);
  });

test('YAML that cannot be read is shown too', async () => {
  const kind = await loadKind('v1', 'Namespace');
  const decode = () => decodeObject(Buffer.from('a: b: c'), 'yaml', kind, 'Warn', NO_KINDS, ignored);
  const error = await Promise.try(decode).catch((thrown) => thrown);
  assert.match(error.message, /^the object provided is unrecognized \(must be of type Namespace\): yaml: .* \(613a20623a2063\)$/);
});

test('options say the problem alone', async () => {
  const kind = await loadKind('meta.k8s.io/v1', 'DeleteOptions');
  for (const [, encoding, text, problem] of rows)
    assert.throws(
      () => decodeOptions(Buffer.from(text), encoding, kind),
      (error: Error) => error.message === problem,
    );
});

const WRONG_OPTIONS: readonly (readonly [encoding: Encoding, body: string, message: string])[] = [
  [
    'json',
    '{"gracePeriodSeconds":"1"}',
    'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
  ],
  ['yaml', 'dryRun: All\n', 'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
  [
    'json',
    '{"kind":"Thing"}',
    'no kind "Thing" is registered for version "meta.k8s.io/v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
  [
    'json',
    '{"kind":"Pod","apiVersion":"v1"}',
    'no kind "Pod" is registered for version "v1" in scheme "pkg/apis/meta/internalversion/scheme/register.go:27"',
  ],
];
for (const [encoding, body, message] of WRONG_OPTIONS)
  test(`options ${body.trim()}`, async () => {
    const kind = await loadKind('meta.k8s.io/v1', 'DeleteOptions');
    assert.throws(
      () => decodeOptions(Buffer.from(body), encoding, kind),
      (error: Error) => error.message === message,
    );
  });

test.run();
