import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { chosenContainer, storedPod } from '../../runtime/relay/pod-containers.ts';
import { outcomeOf, serverWith } from './backend.ts';

const test = suite('containers of pods');

const pod = (containers: readonly string[], more: object = {}): ApiObject => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'p' },
  spec: { containers: containers.map((name) => ({ name })), ...more },
});
const chosen = (of: ApiObject, wanted: string): Promise<string> => outcomeOf(Promise.resolve().then(() => chosenContainer(of, wanted)));
const rows: readonly [name: string, pod: ApiObject, wanted: string, found: string][] = [
  ['the only one', pod(['a']), '', '"a"'],
  ['the one that is named', pod(['a', 'b']), 'b', '"b"'],
  ['one of those that begin', pod(['a'], { initContainers: [{ name: 'i' }] }), 'i', '"i"'],
  ['one that was added', pod(['a'], { ephemeralContainers: [{ name: 'e' }] }), 'e', '"e"'],
  [
    'none of several',
    pod(['a', 'b'], { initContainers: [{ name: 'i' }] }),
    '',
    '400: a container name must be specified for pod p, choose one of: [i a b]',
  ],
  ['none of none', pod([]), '', '400: a container name must be specified for pod p'],
  ['one that is not there', pod(['a']), 'x', '400: container x is not valid for pod p'],
];
for (const [name, of, wanted, found] of rows) test(name, async () => assert.is(await chosen(of, wanted), found));
test('pods that are not there are missed', async () =>
  assert.is(await outcomeOf(storedPod(serverWith({}), 'a', 'x')), '404: pods "x" not found'));

test.run();
