#!/usr/bin/env bash
# Validates the inputs, and decides what the other steps use. Nothing is created but a folder for temporary files.
# Copyright The draconform Authors.
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "$ACTION_PATH/.github/action/lib.sh"

check_driver_file() { [ -f "$(absolute "$1")" ] || fail "the driver file $1 does not exist"; }
lines "$INPUT_DRIVER_FILE" check_driver_file

provider=$INPUT_PROVIDER
if [ -z "$provider" ]; then
  provider=kind
  if [ -n "$INPUT_KUBECONFIG" ]; then provider=existing; fi
fi
case $provider in
kind | control-plane | existing) ;;
*) fail "the provider $provider is not known, use kind, control-plane or existing" ;;
esac
[ -z "$INPUT_KUBECONFIG" ] || [ "$provider" = existing ] || fail "kubeconfig is for the provider existing"
[ -z "$INPUT_KUBECONFIG" ] || [ -f "$(absolute "$INPUT_KUBECONFIG")" ] || fail "the kubeconfig does not exist"
[ -z "$INPUT_RELEASE" ] || [ "$provider" != existing ] || fail "release is for clusters that are created, not for an existing one"
[ -z "$INPUT_DRIVER_FILE" ] || [ "$provider" != control-plane ] || fail "driver files need nodes, which the provider control-plane does not have"
[[ "$INPUT_READY_TIMEOUT" =~ ^[0-9]+$ ]] || fail "ready-timeout is a number of seconds"

# The fake drivers get a cluster from the run. Drivers of driver files are installed into a cluster first.
cluster='' kubeconfig=''
work=$RUNNER_TEMP/draconform
id=$(date -u +%Y%m%d-%H%M%S)-$(od -An -N2 -tx1 /dev/urandom | tr -d ' \n')
if [ "$provider" = kind ] && [ -n "$INPUT_DRIVER_FILE" ]; then
  cluster=draconform-${id##*-} kubeconfig=$work/kubeconfig-${id##*-}
elif [ -n "$INPUT_KUBECONFIG" ]; then
  kubeconfig=$(absolute "$INPUT_KUBECONFIG")
fi
[ -z "$INPUT_IMAGES" ] || [ -n "$cluster" ] || fail "images are loaded into a kind cluster for driver files only"
[ -z "$INPUT_INSTALL" ] || [ -n "$INPUT_DRIVER_FILE" ] || fail "install is for drivers of driver files"

engine=false
if [ "$provider" = kind ]; then engine=true; fi
source=''
if [ -z "$INPUT_VERSION" ]; then source=$ACTION_PATH; fi
# The key of node images changes with everything that they are built from.
hash() { (cd "$ACTION_PATH" && find "$@" -type f -print0 | sort -z | xargs -0 cat | cksum | tr -d ' '); }
mkdir -p "$work/bin"
output provider "$provider"
output cluster "$cluster"
output kubeconfig "$kubeconfig"
output engine "$engine"
output source "$source"
output source-key "$(hash go.mod go.sum)-$(tr -c 'a-zA-Z0-9.\n-' '_' <<< "$INPUT_VERSION")"
output bin "$work/bin"
output folder "$work/artifacts/$id"
output node-image "$work/node-image.tar.zst"
output node-image-key "$INPUT_RELEASE-$(hash clusters/releases.yaml clusters/nodeimage manifests/node)"
