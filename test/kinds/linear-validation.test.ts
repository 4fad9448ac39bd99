/** Long lists of what is alike, which any client may send, are looked through once and not once for each of their items. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_FINDINGS } from '../../runtime/contract/field-error.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { object, ruleContext } from './context.ts';
import { loadKind } from './kind.ts';

const test = suite('long lists');

const LENGTH = 2_000;
/** Times that rules may look at an item: a few for each thing that they check. */
const LOOKS = 10;

/** A list that counts how often its items are asked for. */
function counted<T>(items: readonly T[]): { readonly list: T[]; reads: number } {
  const counter = {
    reads: 0,
    list: new Proxy([...items], {
      get(target, member, receiver) {
        if (typeof member === 'string' && /^\d+$/.test(member)) counter.reads++;
        return Reflect.get(target, member, receiver);
      },
    }),
  };
  return counter;
}

const many = <T>(item: (index: number) => T): T[] => Array.from({ length: LENGTH }, (_, index) => item(index));
const driver = (index: number) => ({ name: `d${index}.example.com`, nodeID: 'n', topologyKeys: null });
const csiNode = (drivers: unknown[]): ApiObject => object('storage.k8s.io/v1', 'CSINode', { spec: { drivers } });
const signing = (usages: unknown[]): ApiObject =>
  object('certificates.k8s.io/v1', 'CertificateSigningRequest', { spec: { request: '', signerName: 'a.example.com/b', usages } });

const toleration = (index: number) => ({ key: `k${index}`, operator: 'Exists' });
const pod = (tolerations: unknown[]): ApiObject => object('v1', 'Pod', { spec: { containers: [{ name: 'c', image: 'i' }], tolerations } });
const storageClass = (values: unknown[]): ApiObject =>
  object('storage.k8s.io/v1', 'StorageClass', {
    provisioner: 'example.com/p',
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values }] }],
  });

const rows: readonly {
  readonly name: string;
  readonly items: unknown[];
  readonly with: (list: unknown[]) => ApiObject;
  readonly old?: ApiObject;
}[] = [
  { name: 'usages of a certificate', items: many((i) => `u${i}`), with: signing },
  {
    name: 'topology keys of a driver',
    items: many((i) => `k${i}`),
    with: (topologyKeys) => csiNode([{ ...driver(0), topologyKeys }]),
  },
  { name: 'drivers of a node', items: many(driver), with: csiNode },
  { name: 'drivers of a node that had as many', items: many(driver), with: csiNode, old: csiNode(many(driver)) },
  { name: 'tolerations of a pod that had as many', items: many(toleration), with: pod, old: pod(many(toleration)) },
  { name: 'values of a topology', items: many((i) => `v${i}`), with: storageClass },
];

for (const { name, items, with: build, old } of rows)
  test(name, async () => {
    const counter = counted(items);
    const value = build(counter.list);
    const { rules } = await loadKind(value.apiVersion, value.kind);
    if (old === undefined) rules.validate?.(value, ruleContext());
    else rules.validateUpdate?.(value, old, ruleContext());
    // wrong items are looked at as long as they are told of
    assert.ok(counter.reads >= MOST_FINDINGS, 'the list is not looked at');
    assert.ok(counter.reads <= LOOKS * LENGTH, `${counter.reads} looks at ${LENGTH} items`);
  });

test.run();
