/** containerd with runc, where this machine has both and may run them: one of the test's own, in a folder of its own. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NamespaceMode, RuntimeService } from '../../generated/node-interfaces/container-runtime.ts';
import { InterfaceClient } from '../../runtime/node-agent/grpc/interface-client.ts';

const IMAGE = 'local.test/busybox:1';
const BUSYBOX = '/bin/busybox';
/** Of the containers, below the root of each hierarchy. */
const CONTROL_GROUP = `ctrd-test-${process.pid}`;
const LIMITS = { timeout: 60_000 };

/** @returns why there is no real runtime here; undefined: there is */
export function noRealRuntime(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can run containers';
  const missing = ['containerd', 'runc', 'ctr'].find((program) => spawnSync(program, ['--version']).status !== 0);
  if (missing !== undefined) return `there is no ${missing} here`;
  const isStatic = existsSync(BUSYBOX) && spawnSync('ldd', [BUSYBOX]).status !== 0;
  if (!isStatic) return `there is no static ${BUSYBOX} here`;
  return mayRunContainers() ? undefined : 'this machine lets nobody make namespaces or control groups';
}

function mayRunContainers(): boolean {
  try {
    accessSync('/sys/fs/cgroup', constants.W_OK);
  } catch {
    return false;
  }
  return spawnSync('unshare', ['--mount', '--pid', '--fork', 'true']).status === 0;
}

export class RealRuntime {
  readonly folder: string;
  readonly socket: string;
  readonly #process: ChildProcess;
  readonly #client: InterfaceClient;
  readonly #sandboxes: string[] = [];
  #log = '';

  private constructor(folder: string) {
    this.folder = folder;
    this.socket = path.join(folder, 'c.sock');
    this.#process = spawn('containerd', ['--config', path.join(folder, 'config.toml')], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-10_000);
    });
    this.#client = new InterfaceClient(this.socket);
  }

  static async start(): Promise<RealRuntime> {
    // a short path: the shim puts sockets below it
    const folder = mkdtempSync('/tmp/ctrd-');
    writeFileSync(path.join(folder, 'config.toml'), configuration(folder));
    const runtime = new RealRuntime(folder);
    await runtime.#untilReady();
    runtime.#importImage();
    return runtime;
  }

  /** A pod with one container that runs until it is stopped. @returns id of the container */
  async runPod(namespace: string, name: string, container: string): Promise<string> {
    const labels = new Map([
      ['io.kubernetes.pod.name', name],
      ['io.kubernetes.pod.namespace', namespace],
      ['io.kubernetes.pod.uid', `uid-${name}`],
    ]);
    const host = { network: NamespaceMode.NODE, pid: NamespaceMode.CONTAINER, ipc: NamespaceMode.NODE };
    const sandboxConfig = {
      metadata: { name, namespace, uid: `uid-${name}`, attempt: 0 },
      logDirectory: path.join(this.folder, 'logs'),
      labels,
      linux: { cgroupParent: `/${CONTROL_GROUP}`, securityContext: { namespaceOptions: host } },
    };
    const { podSandboxId } = await this.#client.call(RuntimeService.RunPodSandbox, { config: sandboxConfig }, LIMITS);
    this.#sandboxes.push(podSandboxId);
    const config = {
      metadata: { name: container, attempt: 0 },
      image: { image: IMAGE },
      command: ['/bin/busybox', 'sleep', '1000'],
      labels: new Map([...labels, ['io.kubernetes.container.name', container]]),
      logPath: `${container}.log`,
      linux: { securityContext: { namespaceOptions: host } },
    };
    const { containerId } = await this.#client.call(RuntimeService.CreateContainer, { podSandboxId, config, sandboxConfig }, LIMITS);
    await this.#client.call(RuntimeService.StartContainer, { containerId }, LIMITS);
    return containerId;
  }

  async stop(): Promise<void> {
    for (const podSandboxId of this.#sandboxes) {
      await this.#client.call(RuntimeService.StopPodSandbox, { podSandboxId }, LIMITS);
      await this.#client.call(RuntimeService.RemovePodSandbox, { podSandboxId }, LIMITS);
    }
    this.#client.close();
    if (this.#process.exitCode === null) {
      this.#process.kill();
      await once(this.#process, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
    for (const group of controlGroups()) rmdirSync(group);
  }

  async #untilReady(): Promise<void> {
    const end = performance.now() + LIMITS.timeout;
    for (;;) {
      try {
        await this.#client.call(RuntimeService.Status, {}, LIMITS);
        return;
      } catch (error) {
        if (this.#process.exitCode !== null || performance.now() > end)
          throw new Error(`containerd does not run: ${this.#log}`, { cause: error });
        await sleep(50);
      }
    }
  }

  #importImage(): void {
    const archive = imageArchive(this.folder);
    const { status, stderr } = spawnSync('ctr', [
      '--address',
      this.socket,
      '--namespace',
      'k8s.io',
      'images',
      'import',
      '--snapshotter',
      'native',
      archive,
    ]);
    if (status !== 0) throw new Error(`ctr images import: ${stderr}`);
  }
}

/** What runc made and leaves behind: in version 1 of control groups there is a hierarchy for each controller. */
function controlGroups(): string[] {
  return globSync([`/sys/fs/cgroup/${CONTROL_GROUP}`, `/sys/fs/cgroup/*/${CONTROL_GROUP}`]);
}

function configuration(folder: string): string {
  return `
version = 2
root = "${folder}/root"
state = "${folder}/state"
disabled_plugins = ["io.containerd.internal.v1.opt"]
[grpc]
  address = "${folder}/c.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${IMAGE}"
  disable_tcp_service = true
  restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "native"
[plugins."io.containerd.grpc.v1.cri".cni]
  conf_dir = "${folder}/cni"
  bin_dir = "${folder}/cni-bin"
`;
}

/** An image with the static busybox alone, as an archive of the OCI image layout. @returns path of the archive */
function imageArchive(folder: string): string {
  const rootfs = path.join(folder, 'rootfs');
  const layout = path.join(folder, 'layout');
  mkdirSync(path.join(rootfs, 'bin'), { recursive: true });
  mkdirSync(path.join(layout, 'blobs/sha256'), { recursive: true });
  copyFileSync(BUSYBOX, path.join(rootfs, 'bin/busybox'));
  const layer = path.join(folder, 'layer.tar');
  pack(layer, rootfs);
  const blob = (bytes: Buffer, mediaType: string) => {
    const digest = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(path.join(layout, 'blobs/sha256', digest), bytes);
    return { mediaType, digest: `sha256:${digest}`, size: bytes.length };
  };
  const json = (value: unknown, mediaType: string) => blob(Buffer.from(JSON.stringify(value)), mediaType);
  const packed = blob(readFileSync(layer), 'application/vnd.oci.image.layer.v1.tar');
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const config = json(
    {
      architecture,
      os: 'linux',
      config: { Cmd: ['/bin/busybox', 'sleep', '1000'] },
      rootfs: { type: 'layers', diff_ids: [packed.digest] },
    },
    'application/vnd.oci.image.config.v1+json',
  );
  const manifest = json({ schemaVersion: 2, config, layers: [packed] }, 'application/vnd.oci.image.manifest.v1+json');
  const annotations = { 'io.containerd.image.name': IMAGE, 'org.opencontainers.image.ref.name': '1' };
  writeFileSync(path.join(layout, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [{ ...manifest, annotations }] }));
  writeFileSync(path.join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
  const archive = path.join(folder, 'image.tar');
  pack(archive, layout);
  return archive;
}

function pack(archive: string, folder: string): void {
  const { status, stderr } = spawnSync('tar', ['-cf', archive, '-C', folder, '.']);
  if (status !== 0) throw new Error(`tar: ${stderr}`);
}
