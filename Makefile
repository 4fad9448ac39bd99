# `make run` starts a server, `make test` passes every test; both install what is missing first.
# Everything runs on the Node that is pinned in package.json, whichever one started npm.

NODE := node_modules/.bin/node
SCHEMA := $(NODE) codegen/main.ts
MAKEFLAGS += --no-print-directory

.PHONY: run cluster test checks unit conformance generate verify policy convert lint fix types bench install

# FLAGS: flags of the server, such as make run FLAGS="--secure-port=7443 --dialect=kubernetes"
run: install
	@exec $(NODE) --max-semi-space-size=16 --heap-growing-percent=100 --no-memory-pool-share-memory-on-teardown runtime/main/cluster-apiserver.js $(FLAGS)

# A server, the agent of one node and a container runtime for tests. FLAGS: those of test/node-agent/one-machine.ts
cluster: install
	@exec $(NODE) test/node-agent/one-machine.ts $(FLAGS)

test: install checks unit

# What each of them does is done by one processor.
checks: install
	@$(MAKE) -j2 --output-sync=target lint types verify

# TEST: parts of the paths of the test files to run; all without it
unit: install
	@$(NODE) test/run.ts $(TEST)

# CONFORMANCE_DIR in the environment: a folder with further cases
conformance: install
	@$(NODE) test/run.ts e2e/conformance

generate: install
	@$(SCHEMA) generate

# Fails when generated/ is not what the schemas and the generator would write now.
verify: install
	@$(SCHEMA) verify

# Holds the schemas to the deprecation policy. AGAINST: a revision of git, or a folder that holds schemas/; the last release's tag without it
policy: install
	@$(SCHEMA) check $(if $(AGAINST),--against=$(AGAINST))

# MANIFESTS: a file, a folder or - for standard input; ARGS: other flags, such as make convert MANIFESTS=DIR ARGS="--check 1.32"
convert: install
	@$(SCHEMA) convert -f $(MANIFESTS) $(ARGS)

lint: install
	@$(NODE) node_modules/.bin/biome check --error-on-warnings

fix: install
	@$(NODE) node_modules/.bin/biome check --write

types: install
	@$(NODE) node_modules/.bin/tsc --noEmit

# BENCH: flags of test/bench/main.ts, such as make bench BENCH="--workloads=get,list"
bench: install
	@$(NODE) test/bench/main.ts $(BENCH)

install:
	@.ci/install
