/** Whether flags have the store in etcd. */
import type { Flags } from './flags.ts';

export const isInEtcd = (flags: Pick<Flags, 'etcd-servers'>): boolean => flags['etcd-servers'].length > 0;
