/** Addresses and fragments, which need no etcd. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAddress } from '../../../../runtime/storage/etcd/client/address.ts';
import { EtcdClient } from '../../../../runtime/storage/etcd/client/etcd-client.ts';
import { Fragments } from '../../../../runtime/storage/etcd/client/fragments.ts';
import type { EtcdEvent } from '../../../../runtime/storage/etcd/client/requests.ts';

const addresses = suite('addresses of etcd');
const good: [text: string, target: string, host: string, tls: string, port?: number][] = [
  ['http://127.0.0.1:2379', 'dns:127.0.0.1:2379', '127.0.0.1', 'never', 2379],
  ['https://etcd-0.example:2379/', 'dns:etcd-0.example:2379', 'etcd-0.example', 'always', 2379],
  ['https://[fd00::1]:2379', 'dns:[fd00::1]:2379', 'fd00::1', 'always', 2379],
  ['unix:///run/etcd.sock', 'unix:/run/etcd.sock', 'etcd.sock', 'withFiles'],
  ['unixs:///run/etcd 1/127.0.0.1:2379', 'unix:/run/etcd 1/127.0.0.1:2379', '127.0.0.1', 'always'],
  ['unix://localhost:2379', 'unix:localhost:2379', 'localhost', 'withFiles'],
  ['unix:etcd/member', 'unix:etcd/member', 'member', 'withFiles'],
  ['http://127.0.0.1:80', 'dns:127.0.0.1:80', '127.0.0.1', 'never', 80],
];
for (const [text, target, host, tls, port] of good)
  addresses(text, () => assert.equal(parseAddress(text), { text, target, host, tls, ...(port !== undefined && { port }) }));
const bad: [text: string, message: RegExp][] = [
  ['', /URL/],
  ['127.0.0.1:2379', /URL|begin with/],
  ['localhost:2379', /begin with/],
  ['unix://', /file of a socket/],
  ['unixs:///', /file of a socket/],
  ['unixx:///run/etcd.sock', /begin with/],
  ['http://127.0.0.1', /port/],
  ['http://user:secret@127.0.0.1:2379', /no user/],
  ['http://127.0.0.1:2379/v3', /end behind the port/],
  ['http://127.0.0.1:2379?a=b', /end behind the port/],
];
for (const [text, message] of bad)
  addresses(`${JSON.stringify(text)}: refused`, () => {
    assert.throws(() => parseAddress(text), message);
    assert.throws(() => new EtcdClient({ addresses: [text], requestTimeout: 1 }), message);
  });
addresses('at least one', () => assert.throws(() => new EtcdClient({ addresses: [], requestTimeout: 1 }), /at least one address/));
addresses.run();

const fragments = suite('fragments of a watch');
const events = (...revisions: readonly number[]): EtcdEvent[] => revisions.map((modRevision) => ({ kv: { modRevision } }) as EtcdEvent);
const sequences: [name: string, parts: [revisions: number[], more: boolean][], told: number[][]][] = [
  ['an answer in one part', [[[1, 2, 2], false]], [[1, 2, 2]]],
  [
    'a revision in two parts',
    [
      [[1, 2], true],
      [[2, 3], false],
    ],
    [[1], [2, 2, 3]],
  ],
  [
    'a revision in three parts',
    [
      [[2], true],
      [[2], true],
      [[2], false],
      [[3], false],
    ],
    [[], [], [2, 2, 2], [3]],
  ],
  [
    'parts that end with their revisions',
    [
      [[1, 1], true],
      [[2], false],
    ],
    [[], [1, 1, 2]],
  ],
  [
    'an empty part',
    [
      [[1], true],
      [[], true],
      [[], false],
    ],
    [[], [], [1]],
  ],
];
for (const [name, parts, told] of sequences)
  fragments(name, () => {
    const joined = new Fragments();
    assert.equal(
      parts.map(([revisions, more]) => joined.add(events(...revisions), more).map(({ kv }) => kv.modRevision)),
      told,
    );
  });
fragments.run();
