import type { Container, PodSpec } from '../../../generated/core/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import { notSupported } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { newUnknown } from '../../status/status.ts';
import type { AdmissionPlugin } from '../plugin-interface/plugin.ts';
import { forbidden, isPod } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

const ALWAYS = 'Always';
const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Images are pulled for each start, so that nobody runs one of another's that lies on the node without leave to pull it. */
export function alwaysPullImages(): AdmissionPlugin {
  return {
    mutate(attributes) {
      if (!hasNewImages(attributes)) return;
      const spec = attributes.object?.spec as PodSpec;
      for (const { container } of containersOf(spec)) container.imagePullPolicy = ALWAYS;
      for (const volume of spec.volumes ?? []) if (volume.image !== undefined) volume.image = { ...volume.image, pullPolicy: ALWAYS };
    },
    validate(attributes) {
      if (!hasNewImages(attributes)) return;
      const refusals = policiesOf(attributes.object?.spec)
        .filter(({ policy }) => policy !== ALWAYS)
        .map(({ path, policy }) => notSupported(path, policy, [ALWAYS]))
        .map(({ field, message }) => forbidden(attributes, `${field}: ${message}`).message);
      // a list of refusals is none itself in 1.32, even one of a single one
      if (refusals.length > 0) throw newUnknown(aggregateText(refusals));
    },
  };
}

/** An update that brings no image that was not there may keep its policies. */
function hasNewImages(attributes: AdmissionAttributes): boolean {
  const { operation, object, old } = attributes;
  if (!isPod(attributes) || object === undefined) return false;
  if (operation === 'create') return true;
  if (operation !== 'update') return false;
  const before = imagesOf(old);
  return [...imagesOf(object)].some((image) => !before.has(image));
}

function imagesOf(pod: ApiObject | undefined): ReadonlySet<string> {
  const spec = pod?.spec as PodSpec | undefined;
  if (spec === undefined) return new Set();
  return new Set(containersOf(spec).map(({ container }) => container.image ?? ''));
}

function policiesOf(spec: PodSpec): { readonly path: string; readonly policy: string }[] {
  const containers = containersOf(spec).map(({ container, path }) => ({
    path: `${path}.imagePullPolicy`,
    policy: container.imagePullPolicy ?? '',
  }));
  const volumes = (spec.volumes ?? []).flatMap(({ image }, index) =>
    image === undefined ? [] : [{ path: `spec.volumes[${index}].image.pullPolicy`, policy: image.pullPolicy ?? '' }],
  );
  return [...containers, ...volumes];
}

function containersOf(spec: PodSpec): { readonly container: Container; readonly path: string }[] {
  return LISTS.flatMap((list) =>
    (spec[list] ?? []).map((container, index) => ({ container: container as Container, path: `spec.${list}[${index}]` })),
  );
}
