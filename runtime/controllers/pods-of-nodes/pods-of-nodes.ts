/** Which pods are on a node, found by the index of the store. */

import { keysOf } from '../../registry/lists/collection-deletion.ts';
import { ObjectList } from '../../registry/lists/list.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storagePrefix } from '../../registry/resources/resource-keys.ts';
import { compileSelection } from '../../registry/selection/selection.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { parseLabelSelector } from '../../selectors/label-selector-text.ts';
import type { ControllerServer } from '../controller/controller-server.ts';

const NODE_FIELD = 'spec.nodeName';
/** All that there are at the moment. */
const NOW = { namespace: '', resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' };

export class PodsOfNodes {
  readonly resource: Resource;
  /** the prefix of the keys of all pods */
  readonly prefix: string;
  readonly #server: ControllerServer;
  /** the place of the node's name among the stored fields */
  readonly #place: number;

  /** @throws Error if pods are not served */
  constructor(server: ControllerServer) {
    const resource = server.registry.current.resource('', 'v1', 'pods');
    if (resource === undefined) throw new Error('--controllers: pods are not served');
    this.#server = server;
    this.resource = resource;
    this.prefix = storagePrefix(resource, '');
    this.#place = resource.data.selectableFields.indexOf(NODE_FIELD);
  }

  /** @param value of a pod in the store. @returns '' for a pod that has no node */
  nodeOf(value: Buffer): string {
    return new StoredObject(value).field(this.#place) ?? '';
  }

  /** Keys of the pods that a node has now. Yields every few milliseconds. */
  async keys(node: string): Promise<string[]> {
    const { storage, identity } = this.#server;
    const store = await this.#server.store(this.resource);
    const onNode = { field: NODE_FIELD, operator: '=', value: node } as const;
    const selection = compileSelection(this.resource, parseLabelSelector(''), [onNode], store.fieldsOf);
    return keysOf(await ObjectList.open(store, storage, identity, { ...NOW, selection }));
  }
}
