import * as assert from 'uvu/assert';
import { clientConfigurationText } from '../../../runtime/server/certificates/client-configuration.ts';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds } from '../../files/reader.ts';

const cases: FileCases = { kinds: fileKinds(), name: { group: '', kind: 'Config' }, apiVersion: 'v1' };
const config = (more: object = {}) => ({
  clusters: [{ name: 'c', cluster: { server: 'https://a' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
  ...more,
});
const cluster = (more: object) => config({ clusters: [{ name: 'c', cluster: { server: 'https://a', ...more } }] });
const user = (more: object) => config({ users: [{ name: 'u', user: more }] });
const program = (more: object) =>
  user({ exec: { command: 'p', apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', ...more } });

const configurations = fileSuite('client configurations', cases, [
  ['a context', config(), []],
  ['nothing', {}, []],
  ['members that nobody knows', config({ colour: 'red' }), []],
  ['a cluster without a server', config({ clusters: [{ name: 'c' }] }), ['clusters[0].cluster.server: Required value']],
  [
    'a cluster twice',
    config({ clusters: ['c', 'c'].map((name) => ({ name, cluster: { server: 'https://a' } })) }),
    ['clusters[1].name: Duplicate value: "c"'],
  ],
  ['a context of nothing', config({ 'current-context': 'z' }), ['current-context: Not found: "z"']],
  [
    'a context of what is not there',
    config({ contexts: [{ name: 'x', context: { cluster: 'd', user: 'v' } }] }),
    ['contexts[0].context.cluster: Not found: "d"', 'contexts[0].context.user: Not found: "v"'],
  ],
  ['a context without a cluster', config({ contexts: [{ name: 'x', context: {} }] }), ['contexts[0].context.cluster: Required value']],
  ['a proxy', cluster({ 'proxy-url': 'socks5://a:1' }), []],
  [
    'a proxy of another scheme',
    cluster({ 'proxy-url': 'ftp://a' }),
    ['clusters[0].cluster.proxy-url: Unsupported value: "ftp": supported values: "http", "https", "socks5"'],
  ],
  [
    'an authority that does not matter',
    cluster({ 'insecure-skip-tls-verify': true, 'certificate-authority': '/ca' }),
    ['clusters[0].cluster.insecure-skip-tls-verify: Invalid value: true: may not be set together with an authority'],
  ],
  [
    'a token and a password',
    user({ token: 't', username: 'u', password: 'p' }),
    ['users[0].user: Invalid value: "": more than one authentication method found; only one is allowed, a token or a name'],
  ],
  [
    'a group to act as without a user',
    user({ 'as-groups': ['g'] }),
    ['users[0].user.as: Required value: who acts as a group or with attributes acts as a user'],
  ],
  ['a program', program({}), []],
  ['a program without a command', program({ command: '' }), ['users[0].user.exec.command: Required value']],
  ['a program without a version', program({ apiVersion: undefined }), ['users[0].user.exec.apiVersion: Required value']],
  [
    'a program of another version',
    program({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    [
      'users[0].user.exec.apiVersion: Unsupported value: "client.authentication.k8s.io/v1alpha1": supported values: "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"',
    ],
  ],
  [
    'a program that does not say what it needs',
    program({ interactiveMode: undefined }),
    ['users[0].user.exec.interactiveMode: Required value'],
  ],
  [
    'a program that needs something else',
    program({ interactiveMode: 'Sometimes' }),
    ['users[0].user.exec.interactiveMode: Unsupported value: "Sometimes": supported values: "Always", "IfAvailable", "Never"'],
  ],
  ['a variable without a name', program({ env: [{ value: 'v' }] }), ['users[0].user.exec.env[0].name: Required value']],
]);
configurations('of programs of the older version need a terminal where there is one', async () => {
  const older = program({ apiVersion: 'client.authentication.k8s.io/v1beta1', interactiveMode: undefined });
  const { object } = await cases.kinds.parse(fileText(cases, older), 'file', cases.name);
  assert.is(object.users[0].user.exec.interactiveMode, 'IfAvailable');
});
configurations('may leave out what they are', async () => {
  const { object } = await cases.kinds.parse(JSON.stringify(config()), 'file', cases.name);
  assert.is(object.kind, 'Config');
});
configurations('of the administrator are in order', async () => {
  const text = clientConfigurationText({ name: 'a', server: 'https://a', authority: 'PEM', user: { certificate: 'c', key: 'k' } });
  const { object } = await cases.kinds.parse(text, 'file', cases.name);
  assert.is(object.clusters[0].cluster['certificate-authority-data'], Buffer.from('PEM').toString('base64'));
});
configurations.run();
