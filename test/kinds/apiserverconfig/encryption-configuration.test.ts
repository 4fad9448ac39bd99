import * as assert from 'uvu/assert';
import { type FileCases, fileSuite, fileText } from '../../files/cases.ts';
import { fileKinds, problemsOf } from '../../files/reader.ts';

const cases: FileCases = {
  kinds: fileKinds(),
  name: { group: 'apiserver.config.${groupDomain}', kind: 'EncryptionConfiguration' },
  apiVersion: 'apiserver.config.k8s.io/v1',
};
const key = (bytes: number) => ({ keys: [{ name: 'k', secret: Buffer.alloc(bytes).toString('base64') }] });
const by = (...providers: object[]) => ({ resources: [{ resources: ['secrets'], providers }] });
const of = (...resources: string[]) => ({ resources: [{ resources, providers: [{ identity: {} }] }] });
const kms = (more: object = {}) => ({ kms: { name: 'a', endpoint: 'unix:///run/kms.sock', ...more } });
const AT = 'resources[0].providers[0]';
const OVERLAP = "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";

const configurations = fileSuite('configurations of encryption', cases, [
  ['every provider', by({ aesgcm: key(16) }, { aescbc: key(24) }, { secretbox: key(32) }, kms(), { identity: {} }), []],
  ['no resources', {}, ['resources: Required value: at least one resources is required']],
  [
    'an empty list',
    { resources: [{}] },
    ['resources', 'providers'].map((name) => `resources[0].${name}: Required value: at least one resources[0].${name} is required`),
  ],
  [
    'no provider',
    by({}),
    [`${AT}: Invalid value: "": provider does not contain any of the expected providers: KMS, AESGCM, AESCBC, Secretbox, Identity`],
  ],
  [
    'two providers in one',
    by({ identity: {}, aesgcm: key(16) }),
    [
      `${AT}: Invalid value: "aesgcm, identity": more than one provider specified in a single element, should split into different list elements`,
    ],
  ],
  ['no keys', by({ aesgcm: {} }), [`${AT}.aesgcm.keys: Required value: at least one keys is required`]],
  [
    'a key of a wrong length',
    by({ secretbox: key(16) }),
    [`${AT}.secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]`],
  ],
  [
    'a key without name and secret',
    by({ aescbc: { keys: [{}] } }),
    ['name', 'secret'].map((name) => `${AT}.aescbc.keys[0].${name}: Required value: ${name} is a mandatory field for a key`),
  ],
  ['names of resources', of('widgets.example.com', '*.apps', 'secrets'), []],
  ['everything', of('*.*'), []],
  [
    'resources twice',
    of('pods', 'pods'),
    ['resources[0].resources: Invalid value: []string{"pods", "pods"}: the same resource cannot be specified multiple times'],
  ],
  [
    'wildcards twice, which hide each other',
    {
      resources: [
        { resources: ['*.apps', '*.apps'], providers: [{ identity: {} }] },
        { resources: ['*', '*.'], providers: [{ identity: {} }] },
      ],
    },
    [
      'resources[0].resources: Invalid value: []string{"*.apps", "*.apps"}: the same resource cannot be specified multiple times',
      `resources[0].resources: Invalid value: []string{"*.apps", "*.apps"}: ${OVERLAP}`,
      'resources[1].resources: Invalid value: []string{"*", "*."}: the same resource cannot be specified multiple times',
      `resources[1].resources: Invalid value: []string{"*", "*."}: ${OVERLAP}`,
      `resources[1].resources[0]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
    ],
  ],
  ['resources that hide others', of('secrets', '*.'), [`resources[0].resources: Invalid value: []string{"secrets", "*."}: ${OVERLAP}`]],
  [
    'names that are none',
    of('Pods', '*', 'apiserveripinfo', 'a.events.k8s.io', 'a.extensions', 'pods.*'),
    [
      `resources[0].resources[0]: Invalid value: "Pods": resource name should not contain capital letters`,
      `resources[0].resources[1]: Invalid value: "*": use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources`,
      `resources[0].resources[2]: Invalid value: "apiserveripinfo": resources which do not have REST API/s cannot be encrypted`,
      `resources[0].resources[3]: Invalid value: "a.events.k8s.io": '*.events.k8s.io' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`,
      `resources[0].resources[4]: Invalid value: "a.extensions": 'extensions' group has been removed and cannot be used for encryption`,
      `resources[0].resources[5]: Invalid value: "pods.*": encrypting the same resource across groups is not supported`,
    ].toSpliced(
      0,
      0,
      `resources[0].resources: Invalid value: []string{"Pods", "*", "apiserveripinfo", "a.events.k8s.io", "a.extensions", "pods.*"}: ${OVERLAP}`,
    ),
  ],
  [
    'a service without name and endpoint',
    by(kms({ name: '', endpoint: '' })),
    [
      `${AT}.kms.name: Required value: name is a mandatory field for a provider`,
      `${AT}.kms.endpoint: Invalid value: "": endpoint is a mandatory field for a kms`,
    ],
  ],
  [
    'a service elsewhere',
    by(kms({ endpoint: 'https://a' })),
    [`${AT}.kms.endpoint: Invalid value: "https://a": unsupported scheme "https" for KMS provider, only unix is supported`],
  ],
  [
    'wrong settings of services',
    by(kms({ cachesize: 0, timeout: '0s' }), kms({ apiVersion: 'v2', cachesize: 1, name: 'a:b' }), kms({ apiVersion: 'v3', name: 'c' })),
    [
      `${AT}.kms.timeout: Invalid value: "0s": timeout should be a positive value`,
      `${AT}.kms.cachesize: Invalid value: 0: cachesize should be a positive value, or negative to disable`,
      `resources[0].providers[1].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not contain ':'`,
      `resources[0].providers[1].kms.cachesize: Invalid value: 1: cachesize is not supported in v2`,
      `resources[0].providers[2].kms.apiVersion: Invalid value: "v3": unsupported apiVersion apiVersion for KMS provider, only v1 and v2 are supported`,
    ],
  ],
  [
    'a service twice',
    by(kms({ apiVersion: 'v2' }), kms({ apiVersion: 'v2' })),
    ['resources[0].providers[1].kms.name: Invalid value: "a": duplicate KMS provider name a, names must be unique'],
  ],
]);
configurations('errors show no keys', async () => {
  const secret = 'not base64, but secret';
  const problems = await problemsOf(cases.kinds, fileText(cases, by({ aesgcm: { keys: [{ name: 'k', secret }] } })), cases.name);
  assert.equal(problems, [`${AT}.aesgcm.keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded`]);
});
configurations('a secret may have several lines', async () => {
  const secret = `${Buffer.alloc(32, 1)
    .toString('base64')
    .replace(/^.{20}/, '$&\n')}\r\n`;
  assert.equal(await problemsOf(cases.kinds, fileText(cases, by({ secretbox: { keys: [{ name: 'k', secret }] } })), cases.name), []);
});
configurations('services answer in three seconds, those of the first version remember 1000 keys', async () => {
  const { object } = await cases.kinds.parse(fileText(cases, by(kms(), kms({ name: 'b', apiVersion: 'v2' }))), 'file', cases.name);
  const [first, second] = object.resources[0].providers;
  assert.equal([first.kms.apiVersion, first.kms.timeout, first.kms.cachesize], ['v1', '3s', 1000]);
  assert.equal([second.kms.timeout, second.kms.cachesize], ['3s', undefined]);
});
configurations.run();
