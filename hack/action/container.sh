#!/usr/bin/env bash
# Runs the tests of the action, with all steps, in a clean container: Debian as in the node image, without a network. Of this
# machine, it has the checkout, Go, and the cache, which must have the programs of a control plane. DRACONFORM is the built command.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/../.."

image=$("$DRACONFORM" node-image | tail -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go test -c -o "$work/action.test" ./hack/action
goroot=$(go env GOROOT)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/draconform
mkdir -p "$cache"
docker run --rm --init --network none --entrypoint bash --workdir /src/hack/action \
  --volume "$PWD:/src:ro" --volume "$goroot:/usr/local/go:ro" --volume "$work:/tests:ro" --volume "$cache:/cache/draconform" \
  --env PATH=/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env HOME=/root --env XDG_CACHE_HOME=/cache --env DRACONFORM="/src/${DRACONFORM#"$PWD/"}" \
  "$image" -c 'exec /tests/action.test -test.v'
