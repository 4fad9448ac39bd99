/** Options of lists and watches: every combination that 1.32 refuses, with its message (specification: Resource version semantics). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Identity } from '../../runtime/contract/identity.ts';
import { type ListOptions, listOptions } from '../../runtime/endpoints/options.ts';
import { Query } from '../../runtime/endpoints/request/request-info.ts';
import { StatusError } from '../../runtime/status/status.ts';

const identity = { text: (template: string) => template.replace('${groupDomain}', 'example') } as unknown as Identity;
const read = (query: string, watch: boolean, featureEnabled = (_gate: string) => true): ListOptions =>
  listOptions(new Query(watch ? `watch=1&${query}` : query), { identity, featureEnabled });

const test = suite('list options');

const TAKEN: [query: string, watch: boolean, expected: Partial<ListOptions>][] = [
  ['', false, { resourceVersion: '', limit: 0, continue: '', sendInitialEvents: undefined, timeoutSeconds: 0, allowWatchBookmarks: false }],
  ['resourceVersion=', false, { resourceVersion: '' }],
  ['limit=5&continue=x', false, { limit: 5, continue: 'x' }],
  ['limit=-5', false, { limit: 0 }],
  ['limit=%2B7', false, { limit: 7 }],
  ['timeoutSeconds=-1', true, { timeoutSeconds: -1 }],
  ['resourceVersion=0&limit=5&continue=x', false, { resourceVersion: '0' }],
  ['resourceVersion=7&resourceVersionMatch=Exact', false, { resourceVersionMatch: 'Exact' }],
  ['resourceVersion=0&resourceVersionMatch=NotOlderThan', false, { resourceVersionMatch: 'NotOlderThan' }],
  ['resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=3', false, { limit: 3 }],
  ['', true, { watch: true, sendInitialEvents: true }],
  ['resourceVersion=0', true, { sendInitialEvents: true }],
  ['resourceVersion=00', true, { sendInitialEvents: undefined }],
  ['resourceVersion=7', true, { sendInitialEvents: undefined }],
  ['watch=false&resourceVersionMatch=NotOlderThan&resourceVersion=7', false, { watch: false, resourceVersionMatch: 'NotOlderThan' }],
  ['allowWatchBookmarks=1&timeoutSeconds=9', true, { allowWatchBookmarks: true, timeoutSeconds: 9 }],
  ['allowWatchBookmarks=false', true, { allowWatchBookmarks: false }],
  ['sendInitialEvents=true&resourceVersionMatch=NotOlderThan', true, { sendInitialEvents: true }],
  ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=3', true, { sendInitialEvents: false }],
];
for (const [query, watch, expected] of TAKEN)
  test(`${watch ? 'watch' : 'list'} with ${query || 'nothing'}`, () => {
    const options = read(query, watch);
    for (const [name, value] of Object.entries(expected)) assert.equal(options[name as keyof ListOptions], value, name);
  });

const MATCH = 'resourceVersionMatch: ';
const REFUSED: [query: string, watch: boolean, code: number, messages: readonly string[]][] = [
  ['limit=many', false, 400, ['strconv.ParseInt: parsing "many": invalid syntax']],
  ['timeoutSeconds=1s', true, 400, ['strconv.ParseInt: parsing "1s": invalid syntax']],
  ['limit=', false, 400, ['strconv.ParseInt: parsing "": invalid syntax']],
  ['timeoutSeconds=', true, 400, ['strconv.ParseInt: parsing "": invalid syntax']],
  ['limit=9223372036854775808', false, 400, ['strconv.ParseInt: parsing "9223372036854775808": value out of range']],
  ['limit=a&timeoutSeconds=b', false, 400, ['parsing "b"']],
  ['limit=a&labelSelector=%3D&resourceVersionMatch=x', false, 400, ['parsing "a"']],
  ['labelSelector=a+in+b', false, 400, ["unable to parse requirement: found 'b' expected: '('"]],
  ['fieldSelector=a&labelSelector=%3D&resourceVersionMatch=x', false, 400, ["found '=', expected: !, identifier, or 'end of string'"]],
  ['fieldSelector=spec.box&sendInitialEvents=1', true, 400, ["invalid selector: 'spec.box'; can't understand 'spec.box'"]],
  ['resourceVersionMatch=Exact', false, 422, [`${MATCH}Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`]],
  [
    'resourceVersion=0&resourceVersionMatch=Exact',
    false,
    422,
    [`${MATCH}Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`],
  ],
  [
    'resourceVersion=7&resourceVersionMatch=NotOlderThan&continue=x',
    false,
    422,
    [`${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`],
  ],
  [
    'resourceVersion=7&resourceVersionMatch=Newest',
    false,
    422,
    [`${MATCH}Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""`],
  ],
  [
    'resourceVersionMatch=Newest&continue=x',
    false,
    422,
    [
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
      'resourceVersionMatch is forbidden when continue is provided',
      'Unsupported value: "Newest"',
    ],
  ],
  ['sendInitialEvents=true', false, 422, ['sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list']],
  [
    'resourceVersionMatch=NotOlderThan',
    true,
    422,
    [`${MATCH}Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`],
  ],
  ['sendInitialEvents=true', true, 422, [`${MATCH}Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`]],
  [
    'sendInitialEvents=true&resourceVersionMatch=Exact',
    true,
    422,
    [
      `sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
      'Unsupported value: "Exact": supported values: "NotOlderThan"',
    ],
  ],
  [
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x',
    true,
    422,
    [`${MATCH}Forbidden: resourceVersionMatch is forbidden when continue is provided`],
  ],
];
for (const [query, watch, code, messages] of REFUSED)
  test(`${watch ? 'watch' : 'list'} with ${query} is refused`, () => {
    try {
      read(query, watch);
    } catch (error) {
      assert.instance(error, StatusError);
      assert.is((error as StatusError).code, code);
      for (const message of messages)
        assert.ok((error as StatusError).status.message?.includes(message), (error as StatusError).status.message);
      return;
    }
    assert.unreachable();
  });

test('without the gate WatchList a watch tells nothing of the end of its state, and cannot ask for that', () => {
  const readWithout = (query: string): ListOptions => read(query, true, (gate) => gate !== 'WatchList');
  assert.is(readWithout('allowWatchBookmarks=1').sendInitialEvents, undefined);
  assert.is(readWithout('resourceVersion=0').resourceVersionMatch, '');
  for (const value of [true, false])
    assert.throws(
      () => readWithout(`sendInitialEvents=${value}&resourceVersionMatch=NotOlderThan`),
      (error: unknown) =>
        error instanceof StatusError &&
        error.message.endsWith(
          'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
        ),
    );
  assert.is(read('sendInitialEvents=true&resourceVersionMatch=NotOlderThan', true).sendInitialEvents, true);
});

test.run();
