/** Makes OpenAPI documents of an earlier release from its history, as the generator makes those of the current one. */
import type { ApiHistory } from '../../contract/history.ts';
import type { GroupVersionData, GroupVersionModule } from '../../contract/kind.ts';
import { isThere } from '../../contract/lifespan.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { inEachVersion, isCommonKind } from '../description/common-kinds.ts';
import type { SchemaLookup } from '../description/parameters.ts';
import { type DescribedVersion, versionDocument } from '../description/version-document.ts';
import { META_PACKAGE, type OpenapiDocument, type Schema } from '../document.ts';
import { documentText } from '../document-text.ts';
import { type SchemasHistory, schemaAt } from './schemas-history.ts';

export interface EarlierApi {
  readonly release: string;
  /** the group versions of the release, with placeholders */
  readonly groupVersions: readonly GroupVersionData[];
  /** group versions of the current and all other releases, with or without resources */
  readonly all: readonly Pick<GroupVersionData, 'group' | 'version' | 'folder'>[];
  /** loaders of the current release's documents, which contain placeholders */
  readonly current: readonly (() => Promise<string>)[];
  readonly history: Pick<ApiHistory, 'packages' | 'loadSchemas'>;
}

export class EarlierDocuments {
  readonly #api: EarlierApi;
  readonly #described: readonly (DescribedVersion & { readonly folder: string })[];
  #schemas: Promise<SchemaLookup> | undefined;

  constructor(api: EarlierApi) {
    this.#api = api;
    const served = new Map(api.groupVersions.map((each) => [each.folder, each]));
    this.#described = api.all.flatMap(({ group, version, folder }) => {
      const known = api.history.packages[folder];
      if (known === undefined || !isThere(known, api.release)) return [];
      return [{ group, version, folder, package: known.name, resources: served.get(folder)?.resources ?? [] }];
    });
  }

  /**
   * @param folder of a group version that the release had
   * @param load loads its kinds
   * @returns the text of the document as the generator writes it, with placeholders
   */
  async text(folder: string, load: () => Promise<GroupVersionModule>): Promise<string> {
    const described = this.#described.find((each) => each.folder === folder);
    if (described === undefined) throw new Error(`release ${this.#api.release} has no ${folder}`);
    const [{ kinds }, schemas] = await Promise.all([load(), this.#lookup()]);
    const listOf = (definition: string): string | undefined => kinds[definition.slice(described.package.length + 1)]?.list;
    return documentText(versionDocument(described, { release: this.#api.release, groupVersions: this.#described, schemas, listOf }));
  }

  #lookup(): Promise<SchemaLookup> {
    if (this.#schemas !== undefined) return this.#schemas;
    const made = this.#load();
    this.#schemas = made;
    made.catch(() => {
      this.#schemas = undefined;
    });
    return made;
  }

  async #load(): Promise<SchemaLookup> {
    const { current, history, release } = this.#api;
    const past = parseNativeJson<SchemasHistory>(await history.loadSchemas());
    const schemas = new Map<string, Schema>();
    for (const load of current) {
      const { components } = parseNativeJson<OpenapiDocument>(await load());
      for (const [name, schema] of Object.entries(components.schemas)) if (!schemas.has(name)) schemas.set(name, schema);
    }
    for (const [name, each] of Object.entries(past)) {
      const schema = schemaAt(each, schemas.get(name), release);
      if (schema !== undefined) schemas.set(name, schema);
    }
    for (const [name, schema] of schemas) {
      const kind = name.slice(META_PACKAGE.length + 1);
      if (name === `${META_PACKAGE}.${kind}` && isCommonKind(kind)) schemas.set(name, { ...schema, ...this.#everywhere(kind) });
    }
    return (definition) => schemas.get(definition);
  }

  #everywhere(kind: string): Partial<Schema> {
    return { 'x-kubernetes-group-version-kind': inEachVersion(kind, this.#described) };
  }
}
