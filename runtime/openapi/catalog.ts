/** All documents of the served API: one for each group version, and those of paths outside of group versions. */
import type { GroupVersionData } from '../contract/kind.ts';
import { compareReleases } from '../contract/lifespan.ts';
import { groupVersionText, type RegistryView } from '../discovery/registry-view.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { sortedSlices } from '../schema/sorted-slices.ts';
import type { OpenapiDocument } from './document.ts';
import { openapiV3 } from './gnostic/openapi-v3.ts';
import { inSlices, slices } from './gnostic/slices.ts';
import { withoutHiddenPaths } from './hidden-paths.ts';
import { joinedDocument } from './joined-document.ts';
import { MergedSwagger, type SwaggerBodies } from './merged-swagger.ts';
import type { MergeElsewhere, RemoteDocuments } from './remote-documents.ts';
import { ServedDocument } from './served-document.ts';
import { isServed, serverDocuments } from './server-documents.ts';
import { withCbor } from './with-cbor.ts';
import { withoutEnums } from './without-enums.ts';

/** The release from which operations of the v2 document refer to shared parameters; clients of earlier ones know no such references. */
const SHARED_SINCE = '1.28';

export interface OpenapiView extends RegistryView {
  /** the release whose API is served; absent: the newest */
  readonly release?: string;
  /** Loads the document of `meta/v1`, which has the paths outside of group versions. Absent: these paths have no documents. */
  readonly machinery?: () => Promise<string>;
  /**
   * the documents of a version that another server answers; undefined for a version of this server. Absent: there are only versions of this
   * server
   */
  readonly remoteDocuments?: (groupVersion: GroupVersionData) => RemoteDocuments | undefined;
  /** see `MergedSwagger` */
  readonly mergeElsewhere?: MergeElsewhere;
}

/** Documents are kept when the set of group versions changes, because the next set has most of them too. */
const byGroupVersion = new WeakMap<GroupVersionData, ServedDocument>();

export class Catalog {
  readonly #view: OpenapiView;
  /** documents of paths outside of group versions, by path */
  #outside: Promise<ReadonlyMap<string, ServedDocument>> | undefined;
  #documents: Promise<ReadonlyMap<string, ServedDocument>> | undefined;
  #swagger: MergedSwagger | undefined;
  readonly #swaggerBodies: SwaggerBodies = {};

  constructor(view: OpenapiView) {
    this.#view = view;
  }

  invalidate(): void {
    this.#documents = undefined;
    this.#swagger = undefined;
  }

  /** The v3 documents by their path below `/openapi/v3/`, such as `apis/apps/v1`, sorted by path. */
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

  /** The documents of versions that other servers answer, by the same paths as `documents`. */
  remotes(): [string, RemoteDocuments][] {
    const { groupVersions, remoteDocuments } = this.#view;
    if (remoteDocuments === undefined) return [];
    return groupVersions.flatMap((each): [string, RemoteDocuments][] => {
      const remote = remoteDocuments(each);
      return remote === undefined ? [] : [[pathOf(each), remote]];
    });
  }

  /** The one v2 document. */
  swagger(): MergedSwagger {
    if (this.#swagger === undefined) {
      const documents = this.documents();
      const remotes = this.remotes();
      const made = new MergedSwagger(
        async () => (await documents).values(),
        async () => (await Promise.all(remotes.map(([, remote]) => remote.v2()))).filter((each) => each !== undefined),
        this.#view.mergeElsewhere,
        { bodies: this.#swaggerBodies, sharesParameters: compareReleases(this.#view.release ?? SHARED_SINCE, SHARED_SINCE) >= 0 },
      );
      this.#swagger = made;
      documents.catch(() => {
        if (this.#swagger === made) this.#swagger = undefined;
      });
    }
    return this.#swagger;
  }

  async #makeDocuments(): Promise<ReadonlyMap<string, ServedDocument>> {
    const { groupVersions, machinery, remoteDocuments } = this.#view;
    const pause = slices();
    const documents: [string, ServedDocument][] = [];
    for (const each of groupVersions) {
      if (remoteDocuments?.(each) === undefined) documents.push([pathOf(each), this.#ofGroupVersion(each)]);
      await pause();
    }
    if (machinery !== undefined) {
      this.#outside ??= this.#makeOutside(machinery);
      this.#outside.catch(() => {
        this.#outside = undefined;
      });
      const groups = new Set(groupVersions.map(({ group }) => group));
      for (const [path, document] of await this.#outside) if (isServed(path, groups)) documents.push([path, document]);
    }
    return new Map(await inSlices(sortedSlices(documents, ([a], [b]) => (a < b ? -1 : 1))));
  }

  async #makeOutside(machinery: () => Promise<string>): Promise<ReadonlyMap<string, ServedDocument>> {
    const server = parseNativeJson<OpenapiDocument>(this.#answerable(await machinery()));
    const made = ([path, document]: [string, OpenapiDocument]): [string, ServedDocument] => [
      path,
      new ServedDocument({ json: async () => Buffer.from(JSON.stringify(document)), table: openapiV3 }),
    ];
    return new Map(Array.from(serverDocuments(server), made));
  }

  #ofGroupVersion(groupVersion: GroupVersionData): ServedDocument {
    const { openapiSources } = groupVersion;
    let document = byGroupVersion.get(groupVersion);
    if (document === undefined) {
      document = openapiSources === undefined ? this.#generated(groupVersion) : joinedDocument(openapiSources);
      byGroupVersion.set(groupVersion, document);
    }
    return document;
  }

  #generated(groupVersion: GroupVersionData): ServedDocument {
    const json = async () => {
      const { featureEnabled } = this.#view;
      const text = withoutHiddenPaths(this.#answerable(await groupVersion.loadOpenapi()), groupVersion);
      const told = featureEnabled?.('CBORServingAndStorage') === true ? withCbor(text) : text;
      return Buffer.from(featureEnabled?.('OpenAPIEnums') === false ? withoutEnums(told) : told);
    };
    return new ServedDocument({ json, table: openapiV3 });
  }

  #answerable(text: string): string {
    return this.#view.identity.yaml ? text : text.replaceAll(YAML_ANSWERS, '');
  }
}

const pathOf = (groupVersion: GroupVersionData): string =>
  `${groupVersion.group === '' ? 'api' : 'apis'}/${groupVersionText(groupVersion)}`;

/** Matches answers in YAML, which are removed in a dialect without YAML. Other media types precede them. */
const YAML_ANSWERS = /,\s*"application\/yaml":\s*\{\s*"schema":\s*\{[^{}]*\}\s*\}/g;
