/**
 * Ingresses of the beta versions. They name a service and its port in the backend itself, with one member for the port's name and number;
 * v1 has an object for the service, which leaves room for other kinds of backends.
 */
import type { IngressBackend } from '../../../generated/networking/v1/types.ts';
import type { IngressBackend as BetaBackend } from '../../../generated/networking/v1beta1/types.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';

export const conversion: ConversionFunctions = {
  toHub(object) {
    changeBackends(object, toService);
    return renameDefault(object, 'backend', 'defaultBackend');
  },
  fromHub(object) {
    changeBackends(object, fromService);
    return renameDefault(object, 'defaultBackend', 'backend');
  },
};

function changeBackends<From, To>({ spec }: ApiObject, change: (backend: From) => To): void {
  for (const rule of spec?.rules ?? [])
    for (const path of rule.http?.paths ?? []) if (path.backend !== undefined) path.backend = change(path.backend);
  for (const member of ['backend', 'defaultBackend']) if (spec?.[member] !== undefined) spec[member] = change(spec[member]);
}

function renameDefault(object: ApiObject, from: string, to: string): ApiObject {
  if (object.spec?.[from] === undefined) return object;
  const { [from]: backend, ...spec } = object.spec;
  object.spec = { ...spec, [to]: backend };
  return object;
}

function toService({ serviceName, servicePort, ...backend }: BetaBackend): IngressBackend {
  if (!serviceName && !servicePort && typeof servicePort !== 'string') return backend;
  const port = typeof servicePort === 'string' ? { name: servicePort } : { number: servicePort ?? 0 };
  return { ...backend, service: { name: serviceName ?? '', port } };
}

function fromService({ service, ...backend }: IngressBackend): BetaBackend {
  if (service === undefined) return backend;
  return { ...backend, serviceName: service.name, servicePort: service.port?.name || (service.port?.number ?? 0) };
}
