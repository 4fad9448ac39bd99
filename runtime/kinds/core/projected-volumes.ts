/** Volumes whose files come from several sources. */
import type { ClusterTrustBundleProjection, ProjectedVolumeSource, VolumeProjection } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { validateSignerName } from '../certificates/signer-name.ts';
import { foundInEach, NONE } from '../joined.ts';
import { validateLabelSelector } from '../metadata/labels.ts';

/** No two files of a volume have one path. */
export function differentPaths({ sources }: ProjectedVolumeSource): readonly FieldError[] {
  const taken = new Set<string>();
  return foundInEach(sources, (source) =>
    foundInEach(filesOf(source), ({ path, shown }) => {
      if (taken.has(path)) return [invalid('', shown, 'conflicting duplicate paths')];
      taken.add(path);
      return NONE;
    }),
  );
}

interface File {
  readonly path: string;
  /** how an error tells of it */
  readonly shown: string;
}

/** Those whose path is known. Tokens are not looked at in 1.32. */
function filesOf({ secret, configMap, downwardAPI, clusterTrustBundle: bundle }: VolumeProjection): File[] {
  const keys = [secret, configMap].flatMap((source) => source?.items?.map(({ path }) => ({ path, shown: source.name ?? '' })) ?? []);
  const fields = downwardAPI?.items?.map(({ path }) => ({ path, shown: path })) ?? [];
  return [...keys, ...fields]
    .filter(({ path }) => path !== '')
    .concat(bundle === undefined ? [] : [{ path: bundle.path, shown: bundle.path }]);
}

/** Certificates are those of one bundle, or those of one signer that a selector picks. */
export function trustSource(source: ClusterTrustBundleProjection): readonly FieldError[] {
  const { name, signerName, labelSelector } = source;
  if (name !== undefined && signerName !== undefined) return [invalid('', source, 'only one of name and signerName may be used')];
  if (name !== undefined)
    return [
      ...(name === '' ? [required('.name', 'must be a valid object name')] : NONE),
      ...bundleNameMessages(name).map((message) => invalid('.name', name, `not a valid clustertrustbundlename: ${message}`)),
      ...(labelSelector === undefined
        ? NONE
        : [invalid('.labelSelector', labelSelector, 'labelSelector must be unset if name is specified')]),
    ];
  if (signerName === undefined) return [required('', 'either name or signerName must be specified')];
  return [
    ...(signerName === '' ? [required('.signerName', 'must be a valid signer name')] : NONE),
    ...validateSignerName(signerName, '.signerName'),
    ...validateLabelSelector(labelSelector, '.labelSelector'),
  ];
}

/** A bundle of a signer is named after it: the signer's name with a colon for the slash, a colon, and a name. */
function bundleNameMessages(name: string): readonly string[] {
  const last = name.lastIndexOf(':');
  return dnsSubdomain(last === -1 ? name : name.slice(last + 1));
}
