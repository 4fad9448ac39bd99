import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { groupVersions } from '../../generated/routes.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { validateCreate } from '../../runtime/registry/resource-store/strategy.ts';
import { isOutdated, localApiServices } from '../../runtime/system-objects/api-services.ts';
import { flowControlObjects } from '../../runtime/system-objects/flow-control.ts';
import { systemNamespaces } from '../../runtime/system-objects/namespaces.ts';
import { systemPriorityClasses } from '../../runtime/system-objects/priority-classes.ts';
import type { SystemObject } from '../../runtime/system-objects/system-object.ts';
import { identity, ruleContext } from '../kinds/context.ts';
import { loadResource } from '../kinds/kind.ts';

const test = suite('objects of the system');
const resolved = groupVersions.map((each) => ({ ...each, group: identity.text(each.group) }));
const flowControl = flowControlObjects(identity);
const apiServices = localApiServices(identity, resolved);

/** As the store has it after its creation. */
async function stored({ resource, metadata, members }: SystemObject): Promise<ApiObject> {
  const { hub } = await loadResource(resource.group, resource.version, resource.name);
  return hub.decode(structuredClone({ metadata: { ...metadata, generation: 1 }, ...members })).object;
}

/** @throws Error where it is to be made again, which is for what no update may change */
function repaired({ repair }: SystemObject, object: ApiObject): ApiObject | undefined {
  const wanted = repair?.(object);
  if (wanted === 'recreate') throw new Error(wanted);
  return wanted;
}

test('are valid, have all defaults, and need no repair', async () => {
  for (const each of [...systemNamespaces(identity), ...systemPriorityClasses(identity), ...flowControl, ...apiServices]) {
    const { resource, hub } = await loadResource(each.resource.group, each.resource.version, each.resource.name);
    const object = await stored(each);
    validateCreate(resource, hub, structuredClone(object), ruleContext());
    assert.is(repaired(each, object), undefined, `${each.resource.name}/${each.metadata.name}`);
  }
});

const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';

/** A changed share of a level that the server suggests, and of those that it insists on. */
const REPAIRS: readonly {
  readonly name: string;
  readonly level: string;
  readonly change: (object: ApiObject) => void;
  /** undefined: nothing is written */
  readonly after: { readonly spec: 'kept' | 'restored'; readonly annotation: string } | undefined;
}[] = [
  {
    name: 'a changed suggestion that follows is brought back',
    level: 'system',
    change: ({ spec }) => (spec.limited.nominalConcurrencyShares = 99),
    after: { spec: 'restored', annotation: 'true' },
  },
  {
    name: 'one that does not follow is left alone',
    level: 'system',
    change: ({ metadata, spec }) => {
      metadata.annotations = { [AUTO_UPDATE]: 'false' };
      spec.limited.nominalConcurrencyShares = 99;
    },
    after: undefined,
  },
  {
    name: 'one without the annotation follows while nobody changed it',
    level: 'system',
    change: ({ metadata }) => delete metadata.annotations,
    after: { spec: 'restored', annotation: 'true' },
  },
  {
    name: 'and no more afterwards',
    level: 'system',
    change: ({ metadata, spec }) => {
      delete metadata.annotations;
      metadata.generation = 2;
      spec.limited.nominalConcurrencyShares = 99;
    },
    after: { spec: 'kept', annotation: 'false' },
  },
  {
    name: 'what is mandatory follows whatever it says',
    level: 'catch-all',
    change: ({ metadata }) => (metadata.annotations = { [AUTO_UPDATE]: 'false' }),
    after: { spec: 'restored', annotation: 'true' },
  },
  {
    name: 'what the exempt level sets aside is kept',
    level: 'exempt',
    change: ({ spec }) => (spec.exempt = { nominalConcurrencyShares: 7, lendablePercent: 50 }),
    after: undefined,
  },
];

for (const { name, level, change, after } of REPAIRS)
  test(name, async () => {
    const wanted = flowControl.find((each) => each.metadata.name === level) as SystemObject;
    const object = await stored(wanted);
    change(object);
    const before = structuredClone(object);
    const result = repaired(wanted, object);
    assert.equal(object, before);
    if (after === undefined) assert.is(result, undefined);
    else {
      assert.equal(result?.spec, after.spec === 'kept' ? before.spec : wanted.members.spec);
      assert.is(result?.metadata.annotations?.[AUTO_UPDATE], after.annotation);
    }
  });

test('an APIService of an earlier start goes with its version', async () => {
  const service = await stored(apiServices.find((each) => each.metadata.name === 'v1.batch') as SystemObject);
  const outdated = (members: object, wanted: readonly SystemObject[]) =>
    isOutdated(identity, wanted)({ ...service, metadata: { ...service.metadata, ...members } });
  assert.is(outdated({}, apiServices), false);
  assert.is(outdated({}, []), true);
  assert.is(outdated({ labels: {} }, []), false);
});

test('one whose ranks were changed is brought back, others are not', async () => {
  const wanted = apiServices.find((each) => each.metadata.name === 'v1.batch') as SystemObject;
  const service = await stored(wanted);
  service.spec = { ...service.spec, versionPriority: 1 };
  assert.equal(repaired(wanted, service)?.spec, wanted.members.spec);
  assert.is(repaired(wanted, { ...service, metadata: { name: 'v1.batch' } }), undefined);
});

test.run();
