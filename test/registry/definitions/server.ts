/** A server whose API is defined while it runs: each config map of the namespace `definitions` defines a resource whose objects are like config maps. */

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsData } from '../../../generated/flags.ts';
import { ObjectMeta } from '../../../generated/meta/v1/descriptors.ts';
import { metricsData } from '../../../generated/metrics.ts';
import { currentRelease } from '../../../generated/releases.ts';
import { groupVersions } from '../../../generated/routes.ts';
import { ruleModules } from '../../../generated/rules.ts';
import { assembleServer } from '../../../runtime/assembly/parts/assemble.ts';
import type { Authenticator } from '../../../runtime/authentication/authenticator.ts';
import type { TokenSigner } from '../../../runtime/authentication/service-accounts/token-signer.ts';
import type { Authorization } from '../../../runtime/authorization/configuration/create-authorization.ts';
import { createApp } from '../../../runtime/chain/chain.ts';
import type { Converter } from '../../../runtime/contract/converter.ts';
import type { GroupVersionData, KindData, ResourceData } from '../../../runtime/contract/kind.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { type DefinitionSource, wakeOnChange } from '../../../runtime/registry/definition-follower.ts';
import { BuiltInApi } from '../../../runtime/registry/resources/built-in-api.ts';
import type { ResourceDefinition } from '../../../runtime/registry/resources/resource-definition.ts';
import { ObjectLookup } from '../../../runtime/registry/stored-objects/object-lookup.ts';
import { StoreFollower } from '../../../runtime/registry/stored-objects/store-follower.ts';
import type { StoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { type StructuralSchema, structuralType } from '../../../runtime/schema/codec/codec.ts';
import { parseFlags } from '../../../runtime/server/flags/flags.ts';
import type { Storage } from '../../../runtime/storage/storage.ts';
import { NO_SERVICES } from '../../harness/no-services.ts';
import { identity } from '../../kinds/context.ts';

const silent = () => {};
const core = groupVersions.find(({ folder }) => folder === 'core/v1') as GroupVersionData;
const configMaps = core.resources.find(({ name }) => name === 'configmaps') as ResourceData;

/** What a config map says of the resource that it defines. */
export interface Wanted {
  readonly group: string;
  /** plural */
  readonly name: string;
  readonly kind: string;
  /** the first one is stored */
  readonly versions: readonly string[];
  /** of objects that are not like config maps */
  readonly schema?: StructuralSchema;
  /** whether the server's converter stands between the versions */
  readonly converted?: boolean;
}

/** A kind whose objects have no constraints. */
function kindOf(schema: StructuralSchema, kind: string, like: KindData): KindData {
  const { validators: _validators, table: _table, rules: _rules, ...data } = like;
  return { ...data, type: structuralType(`example.${kind}`, schema, ObjectMeta) };
}

function define({ group, name, kind, versions, schema, converted }: Wanted, converter: Converter | undefined): ResourceDefinition {
  const [hub = ''] = versions;
  const storage = { prefix: `${group}/${name}`, group, version: hub, kind };
  return {
    group,
    name,
    kinds: [kind, `${kind}List`],
    ...(converted === true && converter !== undefined && { converter }),
    versions: versions.map((version) => ({
      version,
      resource: { ...configMaps, name, kind, singular: kind.toLowerCase(), shortNames: [], storage },
      openapi: {
        load: async () => ({ info: { title: '', version: '' }, paths: { [`/apis/${group}/${version}/${name}`]: {} }, schemas: {} }),
        hash: `${name} ${version}`,
      },
    })),
    async load(version) {
      const { kinds } = await core.load();
      const { ConfigMap, ConfigMapList } = kinds;
      if (ConfigMap === undefined || ConfigMapList === undefined) throw new Error('there are no config maps');
      const like = schema === undefined ? { ...ConfigMap, type: { ...ConfigMap.type } } : kindOf(schema, kind, ConfigMap);
      const own = { ...like, list: `${kind}List` };
      const conversion = { group, version: hub, kind, steps: [] };
      return {
        kinds: {
          [kind]: version === hub || converted === true ? own : { ...own, conversion },
          [`${kind}List`]: { ...ConfigMapList, type: { ...ConfigMapList.type } },
        },
      };
    },
  };
}

/** Definitions that were made and that somebody still holds. */
export class Definitions implements DefinitionSource {
  readonly prefix = 'configmaps/definitions';
  readonly made: WeakRef<ResourceDefinition>[] = [];
  readonly #converter: Converter | undefined;

  constructor(converter?: Converter) {
    this.#converter = converter;
  }

  define(stored: StoredObject): ResourceDefinition {
    const definition = define(JSON.parse(stored.parse().data.wanted), this.#converter);
    this.made.push(new WeakRef(definition));
    return definition;
  }

  isLong(): boolean {
    return false;
  }

  *defineSlices(stored: StoredObject): ReturnType<DefinitionSource['defineSlices']> {
    const define = (): ResourceDefinition => this.define(stored);
    return function* () {
      yield;
      return define();
    };
  }
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are of many kinds
  readonly body: any;
}

const machinery = groupVersions.find(({ folder }) => folder === 'meta/v1') as GroupVersionData;

/** One server over a store, as each worker is. */
export class ChangingServer {
  readonly definitions: Definitions;
  readonly port: number;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  readonly #close: () => Promise<void>;

  private constructor(definitions: Definitions, port: number, close: () => Promise<void>) {
    this.definitions = definitions;
    this.port = port;
    this.#close = close;
  }

  /** @param converter of the definitions that want one */
  static async over(storage: Storage, converter?: Converter): Promise<ChangingServer> {
    const directory = await mkdtemp(join(tmpdir(), 'definitions-'));
    const definitions = new Definitions(converter);
    const user = { name: 'admin', uid: '', groups: ['system:masters'], extra: {} };
    const authenticator = { authenticate: () => user } as unknown as Authenticator;
    const server = assembleServer({
      flags: parseFlags(['--disable-admission-plugins=NamespaceLifecycle'], flagsData, identity).values,
      identity,
      storage,
      objects: new ObjectLookup(storage, groupVersions),
      follower: new StoreFollower(storage, () => {}),
      definitions,
      log: { debug: silent, info: silent, warn: (fields) => console.error(fields), error: (fields) => console.error(fields) },
      // which needs objects that are not served here
      featureEnabled: (gate) => gate !== 'MultiCIDRServiceAllocator',
      machinery: async () => identity.resolve(await machinery.loadOpenapi()),
      builtIn: new BuiltInApi({
        data: groupVersions,
        identity,
        rules: ruleModules,
        serves: ({ enabledByDefault }) => enabledByDefault,
        featureEnabled: () => true,
        release: currentRelease,
      }),
      authenticator,
      audiences: [],
      serviceRoutes: NO_SERVICES,
      tokenSigner: {} as TokenSigner,
      authorization: { authorizer: { authorize: () => ({ decision: 'allow' }) }, grants: {}, close: silent } as unknown as Authorization,
      metrics: new Metrics(metricsData),
      authority: '',
      externalAddress: () => '127.0.0.1',
      directory,
    });
    wakeOnChange(server.watchHub, definitions.prefix, () => storage.currentRevision(), server.latestRegistry);
    const app = createApp({ server, authenticator, health: { of: () => [] }, requestTimeout: 60_000 });
    const listener = http.createServer(app.callback()).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new ChangingServer(definitions, (listener.address() as AddressInfo).port, async () => {
      server.watchHub.close();
      listener.closeAllConnections();
      listener.close();
      await rm(directory, { recursive: true });
    });
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    await this.#close();
  }

  /** @param body object or text of JSON; a stream sends it when it likes */
  async request(
    method: string,
    path: string,
    { body, type = 'application/json', accept = 'application/json' }: RequestParts = {},
  ): Promise<Answer> {
    const response = await this.open(method, path, { body, type, accept });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    return { status: response.statusCode as number, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  async open(
    method: string,
    path: string,
    { body, type = 'application/json', accept = 'application/json' }: RequestParts,
  ): Promise<http.IncomingMessage> {
    const headers = { accept, ...(body !== undefined && { 'content-type': type }) };
    const request = http.request({ host: '127.0.0.1', port: this.port, agent: this.#agent, method, path, headers });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(request, 'response');
    return response;
  }

  /** Stores the definition, as clients do. @returns the answer's status */
  async define(wanted: Wanted): Promise<number> {
    const body = { metadata: { name: `${wanted.name}.${wanted.group}` }, data: { wanted: JSON.stringify(wanted) } };
    const path = '/api/v1/namespaces/definitions/configmaps';
    const created = await this.request('POST', path, { body });
    if (created.status !== 409) return created.status;
    return (await this.request('PUT', `${path}/${body.metadata.name}`, { body })).status;
  }

  async undefine({ group, name }: Pick<Wanted, 'group' | 'name'>): Promise<number> {
    return (await this.request('DELETE', `/api/v1/namespaces/definitions/configmaps/${name}.${group}`)).status;
  }
}

interface RequestParts {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
}
