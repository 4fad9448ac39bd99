/** The etcd that all parts of the store work with. */
import type { EtcdClient } from './client/etcd-client.ts';
import type { KeyNames } from './key-names.ts';
import type { ValueCodec } from './value-codec.ts';

export interface FollowedEtcd {
  readonly client: EtcdClient;
  readonly names: KeyNames;
  readonly codec: ValueCodec;
}
