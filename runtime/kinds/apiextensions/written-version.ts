import type { RequestContext } from '../../contract/request-context.ts';

/** Whether a definition comes in the version that release 1.22 removed. */
export const isOfV1beta1 = ({ version }: RequestContext): boolean => version.endsWith('/v1beta1');
