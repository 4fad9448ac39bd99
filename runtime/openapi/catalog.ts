/** All documents of the served API: one for each group version, and those of what stands outside of them. */
import type { GroupVersionData } from '../contract/kind.ts';
import { groupVersionText, type RegistryView } from '../discovery/registry-view.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import type { OpenapiDocument } from './document.ts';
import { openapiV2 } from './gnostic/openapi-v2.ts';
import { openapiV3 } from './gnostic/openapi-v3.ts';
import { slices, turn } from './gnostic/slices.ts';
import { withoutHiddenPaths } from './hidden-paths.ts';
import { ServedDocument } from './served-document.ts';
import { serverDocuments } from './server-documents.ts';
import { SwaggerBuilder, type SwaggerDocument } from './swagger.ts';

export interface OpenapiView extends RegistryView {
  /** The document of the machinery's group version (`meta/v1`), which has the paths outside group versions. Without it those have no documents. */
  readonly machinery?: () => Promise<string>;
}

export class Catalog {
  readonly #view: OpenapiView;
  /** outlives changes of the set: most group versions are in the next one too */
  readonly #byGroupVersion = new WeakMap<GroupVersionData, ServedDocument>();
  #documents: Promise<ReadonlyMap<string, ServedDocument>> | undefined;
  #swagger: ServedDocument | undefined;

  constructor(view: OpenapiView) {
    this.#view = view;
  }

  invalidate(): void {
    this.#documents = undefined;
    this.#swagger = undefined;
  }

  /** v3 documents by path below `/openapi/v3/`, such as `apis/apps/v1`, in alphabetical order. */
  documents(): Promise<ReadonlyMap<string, ServedDocument>> {
    if (this.#documents === undefined) {
      const made = this.#makeDocuments();
      this.#documents = made;
      made.catch(() => {
        if (this.#documents === made) this.#documents = undefined;
      });
    }
    return this.#documents;
  }

  /** The one v2 document. */
  swagger(): ServedDocument {
    this.#swagger ??= new ServedDocument({ json: () => this.#swaggerJson(), value: () => this.#makeSwagger(), table: openapiV2 });
    return this.#swagger;
  }

  async #makeDocuments(): Promise<ReadonlyMap<string, ServedDocument>> {
    const { groupVersions, machinery } = this.#view;
    const documents = groupVersions.map((each): [string, ServedDocument] => [
      `${each.group === '' ? 'api' : 'apis'}/${groupVersionText(each)}`,
      this.#ofGroupVersion(each),
    ]);
    if (machinery !== undefined) {
      const groups = new Set(groupVersions.map(({ group }) => group));
      const server = parseNativeJson(this.#answerable(await machinery())) as OpenapiDocument;
      for (const [path, document] of serverDocuments(server, groups))
        documents.push([path, new ServedDocument({ json: async () => Buffer.from(JSON.stringify(document)), table: openapiV3 })]);
    }
    return new Map(documents.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #ofGroupVersion(groupVersion: GroupVersionData): ServedDocument {
    let document = this.#byGroupVersion.get(groupVersion);
    if (document === undefined) {
      document = new ServedDocument({
        json: async () => Buffer.from(withoutHiddenPaths(this.#answerable(await groupVersion.loadOpenapi()), groupVersion)),
        table: openapiV3,
      });
      this.#byGroupVersion.set(groupVersion, document);
    }
    return document;
  }

  #answerable(text: string): string {
    return this.#view.identity.yaml ? text : text.replaceAll(YAML_ANSWERS, '');
  }

  async #makeSwagger(): Promise<SwaggerDocument> {
    const builder = new SwaggerBuilder();
    for (const served of (await this.documents()).values()) {
      const json = await served.load();
      await turn();
      const document = parseNativeJson(json.toString('utf8')) as OpenapiDocument;
      await turn();
      const pause = slices();
      for (const _ of builder.add(document)) await pause();
    }
    return builder.finish();
  }

  async #swaggerJson(): Promise<Buffer> {
    const pause = slices();
    const parts: string[] = [];
    for (const part of jsonParts(await this.#makeSwagger())) {
      parts.push(part);
      await pause();
    }
    return Buffer.from(parts.join(''));
  }
}

/** Answers in YAML, which a dialect without them does not promise; other media types stand before them. */
const YAML_ANSWERS = /,\s*"application\/yaml":\s*\{\s*"schema":\s*\{[^{}]*\}\s*\}/g;

/** The JSON of a document, in pieces of one path or definition each. */
function* jsonParts(document: object): Generator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(document)) {
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (Array.isArray(value) || typeof value !== 'object') {
      yield JSON.stringify(value);
      continue;
    }
    let inner = '{';
    for (const [key, member] of Object.entries(value as object)) {
      yield `${inner}${JSON.stringify(key)}:${JSON.stringify(member)}`;
      inner = ',';
    }
    yield inner === '{' ? '{}' : '}';
  }
  yield '}';
}
