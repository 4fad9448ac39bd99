/** Definitions that came into the store past the API, with no version to store objects in, are not served, and end nothing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CustomResourceParts, CustomResourceSource } from '../../runtime/custom-resources/custom-resource-source.ts';
import { encodeStoredObject, StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';

const test = suite('definitions without a stored version');
const source = new CustomResourceSource('apiextensions.k8s.io/customresourcedefinitions', {} as CustomResourceParts);

const stored = (versions: unknown): StoredObject => {
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.shop.example' },
    spec: { group: 'shop.example', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: 'True' }] },
  };
  return new StoredObject(encodeStoredObject(object, 0, []).bytes);
};
const version = (storage: boolean) => ({ name: 'v1', served: true, storage });

for (const [name, versions, isServed] of [
  ['null', null, false],
  ['none', [], false],
  ['none that is stored', [version(false)], false],
  ['one that is stored', [version(true)], true],
] as const)
  test(`versions: ${name}`, () => assert.is(source.define(stored(versions)) !== undefined, isServed));

test.run();
