/** Fourth step of the generator: makes the text of every generated file, by its path below `generated/`. */
import type { OpenapiDocument } from '../../runtime/openapi/document.ts';
import { documentText } from '../../runtime/openapi/document-text.ts';
import { clientGroupVersions } from '../model/client/from-schemas.ts';
import { selectResources } from '../model/client/select.ts';
import { type Constraints, readConstraints } from '../model/constraints/constraints.ts';
import type { GroupVersion, Model } from '../model/model.ts';
import type { Sources } from '../read/sources.ts';
import { emitClient } from './client/client.ts';
import { emitConversionNotices } from './conversion-notices.ts';
import { emitFeatureGates, emitIdentity, emitReleases } from './data.ts';
import { emitDefaultPolicy, emitDefaultPolicyHash } from './default-policy.ts';
import { emitDescriptors } from './descriptors.ts';
import { emitFlags, NODE_AGENT_FLAGS } from './flags.ts';
import { emitHistory } from './history/history.ts';
import { HistoryModel } from './history/history-model.ts';
import { KindHistoryEmitter } from './history/kind-history.ts';
import { emitSchemaHistory } from './history/schema-history.ts';
import { emitKinds } from './kinds.ts';
import { emitMetrics } from './metrics.ts';
import { emitNodeInterface } from './node-interfaces.ts';
import { emitOpenapi } from './openapi.ts';
import { emitFiles, emitRoutes } from './routes.ts';
import { emitRules } from './rules.ts';
import { emitStructural } from './structural.ts';
import { emitConversions, emitTables } from './tables.ts';
import { TypesEmitter } from './types.ts';
import { emitValidators } from './validators/validators.ts';

export type GeneratedFiles = ReadonlyMap<string, string>;

/**
 * @param model a model in which the checks found no error
 * @param tables texts of the tables that their emitters parse, and the interfaces of nodes; one that is absent gives no file
 */
export function emitAll(
  model: Model,
  tables: Pick<Sources, 'flags' | 'nodeAgentFlags' | 'defaultPolicy' | 'metrics' | 'nodeInterfaces'>,
): GeneratedFiles {
  const files = new Map<string, string>();
  const described = model.groupVersions.filter(({ files, structural }) => !files && structural === undefined);
  const documents = new Map(described.map((each) => [each.folder, emitOpenapi(model, each)]));
  const emitter = new GroupVersionEmitter(model, documents);
  for (const groupVersion of model.groupVersions)
    for (const [name, text] of emitter.emit(groupVersion)) if (text !== undefined) files.set(`${groupVersion.folder}/${name}`, text);
  const history = new HistoryModel(model);
  const kindHistories = new KindHistoryEmitter(history, readConstraints(model));
  for (const groupVersion of history.groupVersions)
    for (const [name, text] of kindHistories.emit(groupVersion)) if (text !== undefined) files.set(`${groupVersion.folder}/${name}`, text);
  files.set('history.ts', emitHistory(history, model));
  const documented = [...documents.values()].flatMap(({ components }) => Object.keys(components.schemas));
  files.set('openapi-history.json', emitSchemaHistory(history, new Set(documented)));
  files.set('conversion-notices.ts', emitConversionNotices(model));
  files.set('feature-gates.ts', emitFeatureGates(model));
  if (tables.defaultPolicy !== undefined) {
    files.set(
      'default-policy.ts',
      emitDefaultPolicy(tables.defaultPolicy, model.identity, new Set(model.featureGates.map(({ name }) => name))),
    );
    files.set('default-policy-hash.ts', emitDefaultPolicyHash(tables.defaultPolicy));
  }
  if (tables.flags !== undefined) files.set('flags.ts', emitFlags(tables.flags));
  if (tables.nodeAgentFlags !== undefined) files.set('node-agent-flags.ts', emitFlags(tables.nodeAgentFlags, NODE_AGENT_FLAGS));
  if (tables.metrics !== undefined) files.set('metrics.ts', emitMetrics(tables.metrics));
  for (const each of tables.nodeInterfaces ?? []) files.set(`node-interfaces/${each.name}.ts`, emitNodeInterface(each));
  files.set('identity.ts', emitIdentity(model));
  files.set('releases.ts', emitReleases(model));
  files.set('files.ts', emitFiles(model));
  files.set('routes.ts', emitRoutes(model));
  files.set('rules.ts', emitRules(model));
  for (const [file, text] of ownClient(model)) files.set(`client/${file}`, text);
  return files;
}

/** The typed client of everything that is served, for servers of either dialect. */
function ownClient(model: Model): Map<string, string> {
  const all = selectResources(clientGroupVersions(model), ({ resources }) => resources);
  const place = { client: 'generated/client', runtime: 'runtime', identity: 'generated/identity.ts' };
  return emitClient(all, model.identity, { dialect: undefined, place });
}

/** Folder of the types that all kinds use. */
const MACHINERY = 'meta/v1';

class GroupVersionEmitter {
  readonly #model: Model;
  readonly #types: TypesEmitter;
  readonly #constraints: Constraints;
  readonly #documents: ReadonlyMap<string, OpenapiDocument>;

  /** @param documents the OpenAPI documents by folder */
  constructor(model: Model, documents: ReadonlyMap<string, OpenapiDocument>) {
    this.#model = model;
    this.#documents = documents;
    this.#types = new TypesEmitter(model);
    this.#constraints = readConstraints(model);
  }

  /** @returns the texts by file name; undefined for a file that this group version does not need */
  emit(groupVersion: GroupVersion): [name: string, text: string | undefined][] {
    if (groupVersion.structural !== undefined) return emitStructural(this.#model, groupVersion, this.#documents.get(MACHINERY));
    const document = this.#documents.get(groupVersion.folder);
    return [
      ['conversions.ts', emitConversions(groupVersion)],
      ['descriptors.ts', emitDescriptors(this.#model, groupVersion)],
      ['kinds.ts', emitKinds(this.#model, groupVersion, this.#constraints)],
      ['openapi.json', document && documentText(document)],
      ['tables.ts', emitTables(groupVersion)],
      ['types.ts', this.#types.emit(groupVersion)],
      ['validators.ts', emitValidators(this.#model, groupVersion, this.#constraints)],
    ];
  }
}
