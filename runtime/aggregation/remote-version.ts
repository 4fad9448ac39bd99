/** A group version that another API server answers, as an APIService with a service says. */
import type { APIService } from '../../generated/apiregistration/v1/types.ts';
import type { ApiObject } from '../contract/object.ts';
import type { StoredObject } from '../registry/stored-objects/stored-object.ts';

export interface ServicePlace {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** How a server's certificate is verified. */
export interface ServerTrust {
  /** PEM; '': the authorities that Node knows */
  readonly caBundle: string;
  /** accepts any certificate */
  readonly insecure: boolean;
}

export interface RemoteVersion {
  /** name of the APIService, such as `v1.shop.example` */
  readonly name: string;
  /** '' for the core group, whose paths begin with `/api` */
  readonly group: string;
  readonly version: string;
  /** 1 to 20000, higher first */
  readonly groupPriority: number;
  /** 1 to 1000, higher first */
  readonly versionPriority: number;
  readonly service: ServicePlace;
  readonly trust: ServerTrust;
  /** whether the condition `Available` is true: only then clients' requests are passed on */
  readonly available: boolean;
  /** of the APIService: when it changes, cached answers of its server are dropped */
  readonly resourceVersion: string;
}

/** A service whose server is asked, and how that server's certificate is verified. */
export type TrustedService = Pick<RemoteVersion, 'service' | 'trust'>;

const HTTPS = 443;
const SERVICE = Buffer.from('"service":');

/** Whether an APIService may name a service. The object is not parsed for that, because almost none does. */
export function leadsElsewhere({ json }: StoredObject): boolean {
  return json.includes(SERVICE);
}

/** @returns undefined for one that this server answers */
export function remoteVersionOf(stored: StoredObject): RemoteVersion | undefined {
  return leadsElsewhere(stored) ? readRemoteVersion(stored.parse()) : undefined;
}

/** @returns undefined for one that this server answers */
export function readRemoteVersion(object: ApiObject): RemoteVersion | undefined {
  const { metadata, spec, status } = object as APIService & ApiObject;
  if (spec?.service === undefined || spec.service === null) return undefined;
  const { namespace = '', name = '', port = HTTPS } = spec.service;
  return {
    name: metadata.name ?? '',
    group: spec.group ?? '',
    version: spec.version ?? '',
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    service: { namespace, name, port: port ?? HTTPS },
    trust: {
      caBundle: Buffer.from(spec.caBundle ?? '', 'base64').toString(),
      insecure: spec.insecureSkipTLSVerify === true,
    },
    available: (status?.conditions ?? []).some(({ type, status: holds }) => type === 'Available' && holds === 'True'),
    resourceVersion: metadata.resourceVersion ?? '',
  };
}

/** The path that all requests for the version begin with. In the core group it is the same for all versions. */
export function rootPath({ group, version }: Pick<RemoteVersion, 'group' | 'version'>): string {
  return group === '' ? '/api' : `/apis/${group}/${version}`;
}

/** The path of the version's list of resources. */
export function versionPath({ group, version }: Pick<RemoteVersion, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}
