/** The part of a trace in which a list is read: of 1.32's memory, where that would answer it, or of its store. Loaded where requests are traced. */
import type { Span, TraceAttributes } from '../../contract/trace.ts';
import type { ListReading } from '../../registry/lists/list.ts';

/** A list as its request wants it. */
export interface TracedList {
  readonly auditId: string;
  /** `group` or `resource.group` */
  readonly type: string;
  /** the prefix of the keys of its objects, or the key of its only one */
  readonly key: string;
  /** whether it may have several objects */
  readonly recursive: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly limit: number;
  readonly continue: string;
  /** whether 1.32 has the resource in its memory, and answers from there what is to be the newest */
  readonly cached: boolean;
  readonly consistentFromCache: boolean;
}

/** @param span of the list's request */
export function beginReading(span: Span, list: TracedList): ListReading {
  const fromCache = list.cached && !isFromStorage(list);
  const part = fromCache
    ? span.begin('cacher list', { 'audit-id': list.auditId, type: list.type })
    : span.begin(`List(recursive=${list.recursive}) etcd3`, storageAttributes(list));
  if (fromCache) part.event('Ready');
  return {
    // a list of the memory decrypts nothing, and may be long
    part: fromCache ? undefined : part,
    done(looked, count) {
      if (fromCache) {
        part.event('Listed items from cache', { count: looked });
        if (count > 0) part.event('Resized result');
        part.event('Filtered items', { count });
      }
      part.end();
    },
    end: () => part.end(),
  };
}

function storageAttributes({ auditId, key, resourceVersion, resourceVersionMatch, limit, continue: from }: TracedList): TraceAttributes {
  return { 'audit-id': auditId, key, resourceVersion, resourceVersionMatch, limit, continue: from };
}

function isFromStorage({ resourceVersion, resourceVersionMatch, limit, consistentFromCache, ...list }: TracedList): boolean {
  if (resourceVersion === '' && !consistentFromCache) return true;
  const isPage = list.continue !== '' || (limit > 0 && resourceVersion !== '0');
  return isPage || (resourceVersionMatch !== '' && resourceVersionMatch !== 'NotOlderThan');
}
