/** Programs that follow all config maps of a namespace by an informer: with our client, and with the client library of Kubernetes. */
import type { Dialect } from '../../runtime/contract/identity.ts';
import type { Target } from './target.ts';

/** Where the config maps are. */
export interface Followed {
  readonly target: Target;
  readonly namespace: string;
  readonly dialect: Dialect;
}

/** What a handler of an informer sees of a config map. */
export interface SeenConfigMap {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

export interface Follower {
  /** Resolves when it knows all config maps. */
  sync(): Promise<void>;
  /** Config maps that it knows. */
  size(): number;
  /** What it tells of changes from now on. */
  onChange(changed: (configMap: SeenConfigMap) => void): void;
}

/** Each loads its library, and has made a request before it is there. */
export const FOLLOWERS = {
  ours: ourFollower,
  'ours, holding objects': (followed: Followed) => ourFollower(followed, 'objects'),
  '@kubernetes/client-node': libraryFollower,
} as const satisfies Readonly<Record<string, (followed: Followed) => Promise<Follower>>>;

export type FollowerName = keyof typeof FOLLOWERS;

const serverOf = ({ host, port }: Target): string => `https://${host}:${port}`;

async function ourFollower({ target, namespace, dialect }: Followed, hold: 'text' | 'objects' = 'text'): Promise<Follower> {
  const [{ createClient, informer }, { configmaps, namespaces }] = await Promise.all([
    import('../../generated/client/index.ts'),
    import('../../generated/client/core/v1/index.ts'),
  ]);
  const { authority, token } = target;
  const trust = authority === undefined ? { insecureSkipTlsVerify: true } : { certificateAuthority: authority };
  const client = createClient({ server: serverOf(target), token, ...trust }, { dialect });
  await client.resource(namespaces).get(namespace);
  const informed = informer(client.resource(configmaps).in(namespace), { hold });
  return {
    sync: () => informed.start().synced(),
    size: () => informed.size,
    onChange: (changed) => informed.on(({ object, cause }) => cause === 'watch' && changed(object)),
  };
}

async function libraryFollower({ target, namespace }: Followed): Promise<Follower> {
  const { CoreV1Api, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
  const { authority, token } = target;
  const trust = authority === undefined ? { skipTLSVerify: true } : { caData: Buffer.from(authority).toString('base64') };
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'bench', server: serverOf(target), skipTLSVerify: false, ...trust }, { name: 'bench', token });
  const api = config.makeApiClient(CoreV1Api);
  await api.readNamespace({ name: namespace });
  const informed = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () => api.listNamespacedConfigMap({ namespace }));
  const failed = Promise.withResolvers<never>();
  informed.on('error', (error) => failed.reject(error));
  return {
    sync: () => Promise.race([informed.start(), failed.promise]),
    size: () => informed.list().length,
    onChange: (changed) => informed.on('update', changed),
  };
}
